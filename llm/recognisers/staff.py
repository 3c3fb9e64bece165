"""What concerns one member of staff, or another person, and nobody else: conduct, leave, family, papers."""

import re
from collections.abc import Iterator

from llm.recognisers.findings import Finding, find_sentence_spans, has_any_inside, matches, phrases
from llm.recognisers.late import compile_late
from llm.recognisers.names import find_names
from llm.recognisers.people import find_people

STAFF_MATTER = compile_late(
    r"\b"
    + phrases(
        r"""['’]s references? (?:have|has|from|was|were); ['’]s (?:cv|raise|overtime|appeal);
        ['’]s contract (?:runs out|ends|expires); ['’]s (?:\w+-month |annual |yearly )?(?:review|appraisal);
        ['’]s trial (?:shift|day|period); contract will not be renewed; not (?:to )?renew [^.\n]{2,40}['’]s contract;
        (?:was|were|been|be) let go; handing in my notice;
        (?:second|first|third) interview with; (?:we|they) let [A-Z]\w+ go; (?:has |have )?been warned about;
        written warning; quit (?:by|last|on|without); child sick; reason for leaving; behind with the rent;
        off (?:on|from|until) (?:mon|tues|wednes|thurs|fri|satur|sun)day; lost (?:his|her) licen[cs]e;
        lives (?:above|next door|opposite|alone); (?:his|her) (?:lad|boy|girl|mum|dad|cousin|ex|sister|uncle|aunt);
        (?:his|her) (?:grandson|granddaughter|grandfather|girlfriend|boyfriend|ex-\w+|\w+-in-law);
        (?:husband|wife) died; are a couple; broken up with; parents separated; starts university; smelling of drink;
        hold (?:his|her) drink; already retired; in (?:die )?rente; ruhestand; (?:mutter|vater|eltern) pflegt;
        (?:seine|ihre) (?:mutter|eltern|tochter|kinder|freundin|frau); (?:seinen|ihren) (?:freund|mann|sohn);
        kündigen wir; ermahnung; abgemahnt; verschlafen; (?:seiner|ihrer) beurteilung; durch die prüfung;
        vorstellungsgespräch; wegen (?:seiner|ihrer) bewerbung; auf \w+ tage reduzieren; à la retraite;
        indemnité de départ; congé sans solde; entretien préalable; absente? sans justificatif; plaintes? contre;
        d['’]accoucher; (?:sa|son) (?:fille|fils|mari|femme); despedid[oa]; baja voluntaria; se jubila; vive en;
        su (?:mujer|marido|pareja|hijo|hija); faltas de asistencia; employee file; transferred from \w+ to;
        passenger (?:needs|manifest|name); pupil(?=:); student \d+; turns (?:eighteen|twenty|thirty|forty|fifty|sixty);
        (?:came|comes|arrive[sd]?|was|is) late (?:for (?:work|shift|duty)|to work|again|\w+ times); failed
        (?:his|her|the) (?:\w+
        )?(?:exam\w*|test|course|probation); drunk; unemployed; tenants?(?=\s*[,:]); tenant['’]s
        (?:name|deposit|rent); absence
        report; (?:poor|bad|low) marks; repeat the year;
        complaints? (?:by|from|of); (?:your|his|her) (?:fixed-term|part-time|employment|temporary) contract;
        moved out; moved in with; evict\w*;
        (?:his|her) (?:small |young )?(?:children|kids|child|baby|fiancée?); with (?:two|three|four|her|his)
        (?:small |young )?children; retires; pension of;
         under (?:forty|fifty|sixty|age); born abroad; asylum\w*; refugee; fingerprints; alimony;
        maintenance payments; garnish\w*; court order;
        hourly rate goes; mailing list; customer record; member since; in debt; bankrupt(?:cy)? of; gambl\w+; lodger;
        mieter(?:in)?(?=\W); locataire;
        under investigation; pending (?:the|an) investigation;  passed over; unhappy with;
        fristlos;
        reference for(?=\s+[A-ZÄÖÜ]\w+\s+[A-ZÄÖÜ]);
        (?:did|does|has|will) not pass(?:ed)? (?:his |her |the )?probation; (?:is|are) leaving us;
        mise à pied; blâme; zeug(?:e|in)(?=\s*:); wohnhaft; did not turn up; no-?show again; was turned down; weak in;
        often argues;
        performance plan; (?:his|her|my|month|week|employee['’]s) trial period; (?:not|no longer) be continuing(?: with
        us)?;
        (?:notice|letter) of (?:my |his |her )?
        resignation; (?:my|his|her) last (?:working )?day\b; (?:['’]s|whose|your) last working day; leaver(?=\s*:);
        hereby resign; formally resign;
        employment (?:will end|ends|ended|is terminated|with us); mein arbeitsverhältnis; kündige ich;
        ist (?:ledig|verheiratet); ist (?:geschieden|verwitwet); flexible working(?= so);
        (?:pick|picks) up (?:his|her) (?:son|daughter|kids|children);
        repeat(?:s|ed) a year; struggles with (?:reading|writing|maths|spelling|school);
        (?:was|been) (?:suspended|expelled|excluded)(?= from| for(?! (?:maintenance|repairs?|\d+ hours))|\W*$);
        (?<!\bevent\s)(?<!\bevents\s)(?<!\btrigger\s)(?<!\brequest\s)(?<!\bclaim\s)(?<!\bcase\s)(?<!\bappeal\s)
        (?:got|was|been|gets) (?:fired|sacked|dismissed|the sack); broke up with;
        moved (?:in|out)(?= with|\W*$);
        (?:in|into) (?:\w+ )?arrears; loud (?:parties|music); home visit; free school meals; gpa \d;
        tenants (?:is |are )?behind with;
        behind with (?:the|his|her|their) (?:rent|payments?|instal\w+|bills?|fees?);
        schufa\w*; guarantor(?=\W); household of; place (?:and date )?of birth;
        height\s?:? \d{2,3} ?(?:cm)?\b; eyes\s?:; rejected after (?:\w+ ){0,2}interview;
        (?:application|candida\w+|applicants?|he|she|(?-i:[A-Z])\w+ (?-i:[A-Z])\w+) (?:was|were|is|has been) rejected;
        former (?:wife|husband|spouse|partner);
        late(?:ness)? (?:three|four|five|several|\d+) times; did not show up; cried in; had words with; fell out with;
        was promoted; is promoted; failed the (?:\w+ )?(?:test|exam\w*|course); (?:currently )?in notice; feedback on;
        (?:cv|résumé) and certificates;
        landlord rang; (?:boy|girl|son|daughter) starts school; beantragt (?:teilzeit|elternzeit|urlaub|sonderurlaub);
        resturlaub; badge \d{3,};
        geb\. \d; a signalé un vol; victime d; has been (?:moved|transferred) to; salary history; lateness;
        timekeeping;
        does not meet expectations; exceeds expectations; personalgespräch; mitarbeitergespräch; arbeitszeugnis;
        krankenstand von;
        performance (?:review|improvement plan|rating); underperform\w*; disciplinary; resign(?:s|ed)?; has quit;
        promotion of; demotion; on leave (?:until|from); leave of absence;
        unpaid leave; applicants?(?=\W); candidates?(?=\W); applied for; job interview; trial day; contract is not
        renewed; is not to be renewed;
        complained (?:of|about); pays late; is always late; too often late; aged \d\d; \d\d years old; date of birth;
        place of birth;
        was overheard; was seen (?:drinking|sleeping|stealing); stole; theft by; suspected of; accused of;
        reprimand\w*; cautioned(?! (?:not to|that|against|when));
        pfändung; krank(?:meldung)?; urlaub von; versetzung von; zeugnis für; kündigt; gekündigt; beschwerde über;
        beurteilung von;
        démission de; congé de; mutation de; plainte contre; entretien annuel de; appraisal;
        (?:final |written |verbal |third |last )+warning; misconduct; grievance; harass\w+; bull(?:ied|ying);
        dismissal of; resignation of; work permits?; residence permit; immigration status; marital status;
        (?:was|were|been|be|to be) (?:fined|spoken to|reprimanded|sacked|made
        redundant|dismissed|fired|terminated|laid off|suspended|demoted|caught (?:asleep|stealing|drinking|smoking));
        divorced?; widow(?:ed|er)?; emergency contacts?;
        (?:maternity|paternity|parental|sick|bereavement|garden) leave;
        visa (?:status|application|expires); next of kin; maiden name; (?:your|his|her|['’]s) probation\w*;
        probation(?:ary)? period; references? check; background check; absent \d+ days; absences;
        (?:absence|absent|late) without (?:notice|leave); without excuse; (?:has |had )?handed in (?:his|her|their)
        notice;
        (?:his|her|your) (?:employment|contract|apprenticeship) (?:ends|will end|ended|is not);
        employment ends; exit (?:talk|interview); improvement plan; notice period; wants to leave;
        leave (?:from [\w .]{1,20} to [\w .]{1,20} )?is (?:approved|refused); request to work part[ -]time;
        (?:his|her) (?:wife|husband|parents|children|daughter|son|brother|sister|mother|father|partner);
        single, ; married to; is married; was married; (?:two|three|four) children (?:at|and|from); nationality;
        ['’]s (?:sister|brother|mother|father|husband|wife|son|daughter|mum|dad|parents);
        their (?:son|daughter); has (?:no|one|two|three|four) (?:\w+ )?(?:children|kids|sons|daughters);
        pension file; asleep on (?:shift|duty);
        quarrel\w*; would not re-?employ; re-?employ(?:ed)?; complaints? (?:about|against); shouted at;
        abmahnung; kündigung von; verwarnung; probezeit; familienstand; führerschein\w*; aufenthalts\w+;
        elternzeit; avertissement; licenciement; absences (?:répétées|injustifiées); période d['’]essai;
        situation de famille; titre de séjour; candidature de; bewerber(?:in)?; cv of; r[ée]sum[ée] of"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
PAPERS_OF = compile_late(
    r"['’]s\s+(?:\w+\s+)?(?:bank\s+)?account|account\s+(?:of|holder)|konto\s+von|kontoinhaber\w*|compte\s+de",
    re.IGNORECASE,
)
# Said to one person: the letter does not repeat the name beside what it says.
ADDRESSED = compile_late(
    r"\b(?:dear|sehr geehrte[rs]?|liebe[rs]?|chère?)\s+(?:mr|mrs|ms|miss|herrn?|frau|m\.|mme|monsieur|madame)\b",
    re.IGNORECASE,
)
# A paper about one person, whose name may be one that no list has.
PERSONAL_PAPER = compile_late(
    r"\b"
    + phrases(
        r"""pay\s?slip; wage slip; lohnabrechnung; gehaltsabrechnung; entgeltabrechnung;
        pay\s?(?:review|rise|roll|ment slip); offer letter; garnishment(?: order)?; overtime; pension contribution;
        tax code;
        bulletin de (?:paie|salaire); fiche de paie; expense (?:claim|report); reisekostenabrechnung; note de frais;
        private account; privatkonto; compte personnel"""
    )
    + r"\b",
    re.IGNORECASE,
)
RECEIVES = compile_late(
    r"\b"
    + phrases(
        r"""pays?; paying; wages?; earns?; earned; receives?; received; gets?; got; is paid; was paid; paid to; pay
        out to; due to; owed to;
        (?:asked|asks|asking) for; (?:was|were|been|have|had) offered; (?:we|i|they) (?:have )?offered;
        turned (?:us|it|me) down;
        negotiated; would (?:take|accept|settle for); (?:costs?|cost) us; lost (?:his|her|their) (?:\w+ )?bonus;
        raised? (?=[A-Z]);
        (?:goes?|went|moves?|moved|raised|up) (?:from|to); is (?:now )?on;
        (?:judge?ment|order|decree) (?:is |was )?(?:entered |made )?against;
        payable (?:by|to); (?:day|hourly|weekly|monthly) rate; was overpaid; overpaid; underpaid; one-off;
        haben [^.\n]{1,40} geboten;
        makes?; to keep; net worth; annual income; income of; owing; loses; fined; in arrears; balance; deposit;
        refund(?:ed)? to;
        owes; granted to; loan to; lent to; sold; expects?; asks for; wants; guarantees?; moves? to grade; erhält;
        bekommt; bekommen; verdient; ausgezahlt; zahlt; schuldet; percevra; perçoit; reçoit; touche; gagne;
        accordée?s? à; versée?s? à; doit; recibe; gana; prämie für; bonus for; advance (?:of|to)"""
    )
    + r"\b",
    re.IGNORECASE,
)


# "Liam is on 54k": pay of somebody, and of a thing a setting.
ON_SCALE = compile_late(
    r"\b(?:is|was|are|am|now|moves?|goes)\s+(?:now\s+)?(?:on|to)\s+\d{2,3}(?:[.,]\d)?\s?k\b", re.IGNORECASE
)
EARNER = compile_late(
    r"\b(?:i|you|he|she|they|we|who|everybody|everyone|nobody|colleagues?"
    r"|pay|paid|salar(?:y|ies)|wages?|earn(?:s|ed|ings)?|gehalt|lohn|salaire)\b",
    re.IGNORECASE,
)


def find_scale_pay(text: str) -> Iterator[Finding]:
    """Pay on a scale: behind the name of a person, a pronoun or a word for pay in its sentence."""
    found = list(matches("periodic", ON_SCALE, text))
    if not found:
        return
    earners = [*matches("earner", EARNER, text), *find_people(text), *find_names(text)]
    for start, end in find_sentence_spans(text):
        first = min((one.start for one in earners if start <= one.start < end), default=end)
        yield from (one for one in found if first <= one.start < end)


def find_staff_matters(text: str) -> list[Finding]:
    """Findings of kind "staff": what is said of one person at work, or of their family and papers."""
    return list(matches("staff", STAFF_MATTER, text))


def pays_somebody(text: str, people: list[Finding], money: list[Finding]) -> bool:
    """Whether some sentence has a person, money, and a word for giving it to them or owing it."""
    if not people or not money:
        return False
    return any(
        has_any_inside(people, *span) and has_any_inside(money, *span) and RECEIVES.search(text, *span)
        for span in find_sentence_spans(text)
    )
