"""Health and the other special categories of personal data (GDPR articles 9 and 10)."""

import re

from llm.recognisers.findings import Finding, matches, phrases
from llm.recognisers.late import compile_late
from llm.recognisers.medicine import find_medical_words

CONDITIONS = phrases(
    r"""shingles; whiplash; blinddarm; brustkrebs; querschnittsgelähmt; séropositi[fv]e?; epilepsia; côtes? cassées?;
    malaise; self-harm\w*; pressure sore; chemo; cocaine; blind in one eye; heart bypass; cancer; tumou?r;
    leuk(?:a)?emia; lymphoma; melanoma; diabet(?:es|ic); asthma; epileps?y; epileptic;
    hypertension; hypothyroidism; migraines?; depress(?:ion|ed|ive episode); bipolar(?: disorder)?;
    schizophreni[ac]; PTSD; anxiety(?: disorder)?; post-traumatic stress; burn-?out; autis(?:m|tic); ADHD; dementia;
    alzheimer['’]?s?; parkinson['’]?s?; multiple sclerosis; HIV; AIDS; hepatitis; tuberculosis; COVID(?:-19)?;
    pneumonia; stroke; heart (?:attack|failure|disease|condition); arthritis; osteoarthritis; fibromyalgia;
    depressive disorder; crohn['’]?s; colitis;
    kidney (?:disease|failure); anaemia; anemia; obesity; anorexia; bulimia; alcoholi(?:sm|c); substance abuse;
    drug (?:addiction|dependenc[ey]); addiction; miscarriage; endometriosis; reflux; bronchitis; sepsis;
    fracture[ds]?; concussion; infarction; neuropathy; COPD; eczema; psoriasis; lupus; krebs; depressionen;
    injur(?:y|ies|ed); broken (?:arm|leg|wrist|ankle|rib|nose|hip|finger|foot|hand); broke (?:his|her) \w+;
    sprain\w*; concussed;
    (?:was|were|found|lay|is) unconscious; stitches; burns (?:to|on); amputat\w+;
    (?:hip|knee|heart|eye|back|spinal|shoulder|brain) operation; cataract; glaucoma;
    ulcer; gastritis; hepatitis [abc]; meningitis; malaria;
    rheumatism; gout; osteoporosis; vertigo; tinnitus; phobia; trauma(?:ti[sz]ed)?; suicidal; suicide attempt;
    overdose; addict(?:ed)?;
    hypertonie; erkrank\w+; krankheit; verletz\w+; gebrochen; operiert; depression; allergi\w+; malade; maladie;
    blessée?; fracture; opérée?;
    panic attacks?; insomnia; hernia; slipped disc; hernie(?: discale)?; colou?r-?blind\w*; deaf(?:ness)?; hard of
    hearing;
    hearing (?:aid|loss); blindness; haemophilia; hemophilia; chest pain; back pain; lumbago; sciatica; allergy;
    (?:had|has|suffered|epileptic) (?:an? )?(?:\w+ )?seizures?; insulin; angina; thrombosis; migräne; rheuma;
    diabetiker(?:in)?; diabétique; cancéreuse?; dépression;
    stroke; miscarried; bluttransfusion\w*; seeing a counsell?or; lost (?:the|her|their|our) baby; stillb(?:orn|irth);
    autis(?:m|tic); adhd; ptsd; dyslexi[ac]; bmi \d+; high blood pressure;
    blood pressure \d+/\d+; burn-?out; sober; rehab clinic; in remission; transplant; tumou?r; palpitations;
    grossesse; épilep\w+; asthme; schlaganfall; herzinfarkt; angststörung; suchterkrankung;
    schwanger(?:schaft)?; bandscheibenvorfall; embarazad[ao]; enceinte; cáncer"""
)
MEDICINES = phrases(
    r"""metformin; lisinopril; atorvastatin; levothyroxine; amlodipine; omeprazole; losartan; albuterol; gabapentin;
    sertraline; fluoxetine; citalopram; escitalopram; prednisone; insulin; ibuprofen \d+\s?mg; warfarin;
    clopidogrel; amoxicillin; tramadol; oxycodone; morphine; methotrexate; lithium; quetiapine; antidepressants?;
    tamoxifen; chemotherapy; chimiothérapie; radiotherapy; dialysis; antiretrovirals?(?: therapy| treatment)?;
    antipsychotics?; methadone;
    beta-?blockers?; statins?; inhalers?; blood thinners?; immunosuppress\w+; hormone (?:therapy|replacement);
    insulin pump; epi-?pen; mood stabili[sz]ers?"""
)
TREATMENT = phrases(
    r"""diagnos(?:is|ed|es); prognosis; prescri(?:bed|ption); medications?; surgery; operated on; hospitali[sz]ed;
    admitted to (?:the )?hospital; in-?patient; rehab(?:ilitation)?; psychotherap(?:y|ist); psychiatr(?:ist|ic);
    therapist; oncolog(?:y|ist); biopsy; blood (?:pressure|test|type); MRI; CT scan; ultrasound; x-?ray;
    allerg(?:y|ic); pregnan(?:t|cy); maternity; fertility treatment; abortion; disab(?:ility|led); wheelchair;
    sick (?:leave|note|days?); medical (?:leave|condition|certificate|history); illness; chronic(?:ally)?;
    unfit (?:for|to); fit for duty; in hospital; (?:work-related|due to|because of|off with|suffers from) stress;
    stress, \w+ (?:weeks|days); medical on; medical check\w*; treated
    (?:for|in|at); undergo(?:es|ing|ne); IVF; dialysis; suit un traitement; kur; physiotherap\w+; counselling;
    psycholog(?:ist|ical); recover(?:ing|y) from; prosthe\w+; pacemaker; phased return; off sick; ill with; seriously
    ill; no lifting; cannot (?:lift|stand|walk|climb); underwent; fitness certificate; blood group; titre; booster
    (?:jab|shot|vaccination); in therapy;
    oncologist; sick note;
    sleeps badly; expecting (?:a|her|their|an?other) (?:\w+ )?(?:child|baby); works doctor; company doctor;
    occupational health; (?:drug|alcohol|drug and alcohol) test; positive for; taken to (?:hospital|st\.? \w+);
    back in \w+ weeks; severely disabled; schwerbehindert\w*; schwerbehinderung; GdB; betriebsarzt; amtsarzt; reha;
    wiedereingliederung; handicap(?:é|ée)?; invalidité; médecin du travail; hospitalisée?; traitement;
    symptoms?; relapse; mental health; tested positive; vaccinat(?:ed|ion); krankgeschrieben; krankschreibung;
    diagnose; arrêt maladie; baja médica"""
)
INSTITUTION = r"(?!\s+" + phrases(
    r"""cent(?:er|re); research; foundation; institute; society; awareness; insurance; benefits?; plan; policy;
    days? policy; form; forms; is handed; are handed"""
)
NO = r"(?<!without\s)(?<!\bno\s)(?<!any\s)"
PROCEDURES = phrases(
    r"""(?:colono|endo|gastro|broncho|laparo|arthro)scopy; \w+ectomy; angioplasty; (?:electro|echo)cardiogram; EKG; MRI;
    (?:CT|PET|bone density|ultrasound) scan; mammogra(?:m|phy); (?:hip|knee|valve) replacement; c(?:a)?esarean; biopsy;
    (?:complete )?blood count; metabolic panel; pulmonary function test; catheteri[sz]ation; spirometry"""
)
HEALTH = compile_late(rf"{NO}\b(?:{CONDITIONS}|{MEDICINES}|{TREATMENT}|{PROCEDURES})\b{INSTITUTION})", re.IGNORECASE)

# Said of one person, whether or not the name stands in the same paragraph.
PATIENT = r"(?:the|this|a|our)?\s*(?:patient|pt)\b(?!s|\s+(?:portal|care|service|satisfaction|rights))[^.\n]{0,80}?\b"
SUBJECT = (
    r"(?:(?:he|she|they|who|i|employee|worker|colleague|claimant"
    r"|(?:the|one|our|this)\s+(?:boy|girl|child|driver|tenant|resident|pupil|guest)"
    r"|one\s+of\s+(?:the|our)\s+\w+)\s+"
    r"(?:was|is|were|has\s+been|had\s+been|am|have\s+been|had|has|have\s+had|has\s+had|suffers\s+from"
    r"|suffered(?:\s+from)?|has\s+suffered\s+from)|(?:he|she|i|who)['’](?:s|m|ve\s+had|ve))\s+(?:\w+\s+){0,2}?"
)
# A figure behind HR or RR, and not the hours, the pages or a heading of a department of that name.
PULSE = (
    r"\b(?<![Ff]orm )(?<![Ff]orms )(?:HR|RR)(?:\s?:)?\s?\d{2,3}\b(?![-/.:]\d|\s\d{3,}(?![/\d]))"
    r"(?!\s+(?:hours?|hrs?|h|minutes?|days?|weeks?|months?|years?|departments?|pages?|staff|people|employees)\b"
    r"|\s*%|[ \t]+(?!Temp|Pulse|Sat|Resp)[A-Z][a-z])"
)
CLINICAL = compile_late(
    rf"\b(?:{PATIENT}(?:{CONDITIONS}|{MEDICINES}|{TREATMENT}|reports?|presents?|denies|alert|stable)"
    rf"|{SUBJECT}(?:diagnosed|hospitali[sz]ed|pregnant|{CONDITIONS}|tested\s+positive|on\s+sick\s+leave|undergoing)"
    rf"|\b(?:he|she|i)\s+(?:was|is|am|has|had|has\s+been|have\s+been)\s+(?:\w+\s+){{0,3}}?(?:with\s+)?(?:{CONDITIONS}"
    r"|(?:fertility|chemo|radio|psycho)[\s-]?(?:treatment|therapy))\b"
    rf"|\b(?:er|ich)\s+(?:ist|bin|hat|habe|war|hatte)\s+(?:\w+\s+){{0,4}}?(?:{CONDITIONS})\b"
    rf"|\bone\s+of\s+(?:the|our)\s+\w+\s+tested\s+positive\b|\bknown\s+(?:{CONDITIONS}|allergies)\b"
    r"|\b(?:continue|increase|prescribed)\s+\w+\s+\d+\s?m?c?g\b|\b(?:the|a)\s+\d{1,3}[- ]year[- ]old\s+presented\b"
    r"|\b(?:he|she)\b(?!\s+or\b)[^.\n]{0,60}?\b(?:with|after|because\s+of|due\s+to|following|from)\s+(?:an?\s+)?"
    rf"(?:{CONDITIONS})\b"
    rf"|\b(?:his|her|my|ihre?|seine?|sa|son)\s+(?:\w+\s+){{0,2}}(?:{CONDITIONS}|{MEDICINES}|{TREATMENT}|diagnosis"
    rf"|surgery|medications?|pregnancy|disability|illness"
    r"|treatment|symptoms|psychiatrist|therapist|chemotherapy|doctor['’]?s?\s+note)"
    rf"|\b(?:(?:currently|still|now|been)\s+(?:taking|on)|medications?\s+includes?)\s+(?:{MEDICINES}|[A-Z]?\w+\s+\d+\s?m?c?g\b)"
    rf"|\b(?:A/P|CC|Dx|PMH|assessment|impression|chief\s+complaint)\s*:\s*(?:\w+\s+){{0,2}}(?:{CONDITIONS})\b"
    rf"|\b{MEDICINES}\s+\d+\s?m?c?g\s+(?:given|administered|po|iv|daily|twice|bid|tid|prn)\b"
    r"|\bECG\b|\btroponin\b|\ballergies\s*:|\boperations?\s*:\s*\w+[^.\n]{0,40}\b(?:19|20)\d\d\b"
    r"|\bdiagnos(?:is|e)\s*:|\bBMI\s*:?\s*\d\d|\bblood\s+pressure\s*:?\s*\d{2,3}\s?/\s?\d{2,3}"
    r"|\b(?:pre-existing\s+conditions?|known\s+(?:medical|health)\s+conditions?|cause\s+of\s+death|current\s+medications?|reason\s+for\s+absence"
    r"|disabilit(?:y|ies)|vorerkrankungen|smoker)\s*:\s*(?!none|no\b|n/a|\W*$)\w"
    r"|\bshe\s+miscarried|\b(?:son|daughter|husband|wife|child)\s+(?:has\s+)?died\b|\bdeclares\s+that\s+(?:he"
    r"|she)\s+has"
    r"|\b(?:he|she)\s+has\s+been\s+(?:sober|clean|dry)\b"
    r"|\barbeitsunfähigkeit\s+(?:voraussichtlich|bis|seit)|\bmedications?\s*:"
    rf"|\bBP\s*:?\s*\d{{2,3}}\s?(?:/|over)\s?\d{{2,3}}\b|(?-i:\bSpO2\s*:?\s*\d{{2,3}}|{PULSE})"
    rf"|\b(?:procedure|test|exam|ordered)\s*:\s*(?:\w+\s+){{0,2}}(?:{PROCEDURES})\b"
    r"|\b\d{1,3}[- ]year[- ]old\s+(?:male|female|man|woman|patient)\b[^.\n]{0,80}\b"
    rf"(?:history|presents?|with|{CONDITIONS}))",
    re.IGNORECASE,
)
BELIEFS = phrases(
    r"""catholic; protestant; muslim; jew(?:ish)?; hindu; buddhist; sikh; mormon; jehovah['’]?s witness;
    evangelical; atheist; gay; lesbian; bisexual; homosexual; transgender; transsexual; non-?binary; communist"""
)
PRIVATE = phrases(
    r"""religion; religious beliefs?; faith; sexual orientation; sexuality; ethnicity; ethnic origin; race;
    political (?:views|opinions|affiliation); party membership; union membership; criminal (?:record|conviction)"""
)
RELIGIOUS = phrases(
    r"""mosque; synagogue; ramadan; kosher; halal; sabbath; (?:for|on) religious reasons; his faith; her faith;
    prayers?;
    baptis(?:m|ed); konfession\w*; religionszugehörigkeit; kirchenaustritt; laizist; for prayer; ethnic monitoring;
    orthodox christian; church tax; kirchensteuer; black african; asian british; roma; caste"""
)
UNION = phrases(
    r"""shop steward; union rep\w*; belongs? to (?:the|a) (?:\w+ )?union; stands? for the works council;
    union matter; union (?:delegate|official); joined the (?:\w+ ){0,2}union; gewerkschaftsmitglied\w*;
    syndiqué\w*; délégué syndical; member of the (?:greens|liberals|conservatives|socialists|social democrats);
    zeuge[n]? jehovas; (?:son|daughter|husband|wife|mother|father|child) (?:has )?died; ankle tag; on parole;
    community service order;
    standing for the (?:\w+ )?(?:party|greens|council|parliament); union dues;
    (?:left|joined|leaves|joins) (?:the|his|her) (?:union|church|party|\w+ party);
    did time for; (?:been|was) inside for; (?:fined|banned) for drink-?driving; was over the limit; headscarf;
    yom kippur;
    (?:will be|is|are) fasting; (?:room|time|place) to pray; transitioned; raised catholic; residence permit of;
    kandidiert für; parteiaustritt; (?:police|criminal records?|dbs) (?:check|clearance) (?:for|of) (?=[A-Z]);
    caution for; führungszeugnis von;
    votes? for the (?!motion|proposal|resolution|amendment|budget|party)\w+;
    (?:is|are|be|starts?|started) transitioning(?! (?:to|from|into|out|over|away|off|between|the)\b);
    transition(?:ed|ing) (?:to|from) (?:male|female|a (?:man|woman));
    (?:served|did|got|spent) (?:\w+ )?(?:years?|months?|weeks)
    (?:for(?! (?:the|a|an|our|us|his|her|this|that|which|it|them|me)\b)(?= \w)|in (?:prison|jail)|inside(?= \w));
    (?:previous|spent|unspent|prior) convictions?; (?:out )?on bail; in custody(?! (?:of|with));
    (?:night|held|sat|sits?|sitting|locked|days?) [^.\n]{0,20}in a cell;
    (?:pleaded|pleads|found) (?:not )?guilty; previously convicted;
    (?:married to|lives with|dating) (?:a|another) (?:man|woman);
    pray(?:s|ing) (?:five|\w+ times|at); (?:refuses?|refused) (?:blood )?transfusions?; mitglied (?:der|bei der|in der)
    (?:ig|ver\.?di|gew|spd|cdu|csu|fdp|afd|grünen|linken)\b[\w -]{0,10};
    gehört der (?:gewerkschaft|partei)\b[\w ]{0,12};
    gewerkschafter(?:in)?; touched her; sexually;
    voting intention; stands for the council; party member; parteimitglied\w*"""
)
FAMILY = phrases(
    r"""custody (?:hearing|battle|case); joint custody; custody of (?:the|his|her|their)
    (?:child|children|son|daughter|twins|kids|boys?|girls?); divorce; filed for divorce;
    since (?:the|his|her) separation; separat(?:ed|ion)
    from (?:his|her); moved out of the
    family home;
    foster child; adoption (?:papers|leave|of a child); adopts? an? (?:child|girl|boy|baby); domestic violence;
    scheidung; sorgerecht; trennung von; getrennt lebend;
    (?:of|from) an? (?:\w+ )?(?:roma|kurdish|jewish|arab|turkish|black|muslim|romani)
    (?:family|origin|background|descent); of \w+ descent;
    (?:man|woman|boy|girl|person|people|family|parents?|employees?|colleagues?|applicants?|candidates?|(?:he|she|i)
    (?:is|was|am)|(?:who|(?-i:[A-Z])\w+ (?-i:[A-Z])\w+) (?:is|was|are)) of \w+ origin;
    divorcée?; garde (?:des enfants|alternée); affair with"""
)
BIOMETRIC = phrases(
    r"""fingerprints? (?:of|from|taken); fingerprints; face template; facial template; biometric
    (?:enrolment|template|data);
    voice sample; fingerabdr[uü]ck\w*; empreintes digitales"""
)
SPECIAL = compile_late(
    rf"\b(?:{RELIGIOUS}|{UNION}|{FAMILY}|{BIOMETRIC})\b|\b(?:that|says|said|told)\b[^.\n]{{0,60}}\b(?:is"
    rf"|was)\s+{BELIEFS}\b|"
    r"\b(?:criminal\s+record|conviction)\s+(?:extract|for)\b|"
    rf"\b(?:is|as|was|identifies\s+as|came\s+out\s+as|practi[sc]ing|devout|converted\s+to)\s+(?:an?\s+)?{BELIEFS}\b"
    rf"|\b(?:his|her|their|my)\s+{PRIVATE}\b"
    r"|\b(?:religion|religious\s+affiliation|sexual\s+orientation|ethnicity|ethnic\s+origin|race"
    r"|political\s+affiliation"
    r"|union\s+member(?:ship)?)\s*:\s*\w+"
    r"|\b(?:is|was)\s+(?:a\s+)?(?:trade\s+)?union\s+(?:member|representative)\b"
    r"|\bmember\s+of\s+(?:the\s+)?(?:(?:\w+\s+)?trade\s+union|union|[A-Z]\w+\s+party)\b"
    r"|\b(?:was|been|being)\s+(?:previously\s+)?(?:convicted|arrested|indicted|charged\s+with|sentenced|imprisoned)\b"
    r"|\bcriminal\s+(?:record|conviction|background)\b"
    r"|\b(?:fingerprints?|retina\s+scan|iris\s+scan|facial\s+(?:scan|template)|voice\s?print"
    r"|DNA\s+(?:test|profile|sample)|genetic\s+(?:test|data))\b",
    re.IGNORECASE,
)


def find_health(text: str, *, of_person: bool) -> list[Finding]:
    """Findings of kinds clinical (health of one person) and special (belief, orientation, family …). of_person:
    somebody
    is named, so words of medicine count as well: kind health.
    """
    said = [*matches("health", HEALTH, text), *find_medical_words(text)] if of_person else ()
    return [*said, *matches("clinical", CLINICAL, text), *matches("special", SPECIAL, text)]
