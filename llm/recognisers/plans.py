"""Plans that others must not learn of yet, by what is planned and who decides: purchases of firms, closures,
    dismissals of
many, disputes, changes of the management, positions in a negotiation.

A plan that the world knows reads the same, so each phrase needs somebody who speaks of "us", or of silence.
"""

import re

from llm.recognisers.findings import phrases

WE = (
    r"(?:we|i|wir|nous|the (?:board|company|management|group|owners?))(?:['’](?:re|ll)| (?:are|will|intend|plan"
    r"|want|would like|have decided|hope|shall|should|may|might|must|could))"
)
NAMED = r"(?:[A-ZÄÖÜ][\w&.'’-]*+|the (?:company|business|firm|shares|brewery|competitor))"
FIRM = rf"(?:{NAMED}|them|it)"
# "Siemens controllers", "Photoshop for the team": bought as well, and no firms.
NO_WARE = r"(?!\s+(?:[a-z]+s\b|licen|for\s+(?:the|our|all|every|each)\b))"
PLANS = re.compile(
    rf"\b(?i:{WE})\s(?:\w+\s){{0,3}}?(?:(?i:buy(?:ing)?|acquir(?:e|ing))\s{NAMED}{NO_WARE}"
    rf"|(?i:tak(?:e|ing) over|bid(?:ding)? for|merg(?:e|ing) with"
    rf"|sell(?:ing)? (?:our )?(?:stake|shares|division)(?: (?:in|of|to))?|su(?:e|ing)|tak(?:e"
    rf"|ing) to court"
    rf"|settl(?:e|ing) with)\s{FIRM})"
    r"|\b(?i:"
    + phrases(
        r"""(?:we(?:['’]re| are)|(?:company|firm) is) (?:being|getting) (?:bought|sold|acquired|taken over);
        walk-?away price;
        (?:has|have) (?:secretly |quietly )?approached us; approached us about (?:a|an) (?:\w+
        )?(?:deal|merger|sale|bid|takeover|purchase|acquisition|stake|buy-?out|partnership|offer);
        (?:negotiating|bargaining) position;
        (?:stays?|remains?) (?:in|within|among) (?:this room|us|ourselves);
        (?:this|that|it|which) (?:must |should |has to |will )?(?:stays?|remains?) in the room; keep it
        (?:quiet|secret|dark);
        don['’]t tell (?:any(?:one|body)|a soul|them|the \w+);
        (?<!\bwe\s)(?<!\bi\s)(?<!\byou\s)(?:don['’]t|do not) know (?:yet|before); (?:must not|nobody may) know
        (?:yet|before);
        (?:they|he|she) (?:do|does) not know (?:it |this )?yet; (?:has|have) not been told; weiß (?:noch )?nichts;
        noch nicht öffentlich; noch nicht bekannt (?:ge)?(?:geben|macht|machen|werden);
        erst am [^.\n]{1,30} bekannt; wollen (?:die
        )?(?!kosten|aufgabe|verantwortung|daten|rolle|leitung|schicht|dienst|vertretung|wartung|arbeit)(?-i:[A-ZÄÖÜ])[^.\n]{1,38}
        übernehmen;
        (?:plant|office|site|factory|shop|branch|works|store)\b[^.\n]{0,30}
        (?:will|is to|shall) (?:be
        )?(?:shut|close|closed|closing)\b(?:[^.\n]{0,40}will be (?:told|announced|informed|made
        public)|[^.\n]{0,20}\b(?:not|nobody|before|until|yet)\b[^.\n]{0,30}(?:told|announce\w*|public(?!
        holiday)|know|informed));
        (?:closing|closure) of [^.\n]{2,40} will be (?:communicated|announced|told);
        (?:lose|losing) (?:his|her|their) jobs?; let (?:about |some |around |up to )?\w+
        (?:people|employees|colleagues|staff) go;
        code\s?name[: ](?:is |of [^.\n]{1,30} is )?(?=["“‘]?(?-i:[A-Z])); due diligence (?:of|on|at|for) (?=[A-Z]);
        patent application (?:is|was|has) not;
        (?:not|never) (?:yet )?reported to the (?:authorit\w+|regulator|police);
        (?:regulator|authority|prosecutor)s? (?:has|have)
        opened an? (?:investigation|inquiry); (?:our|the) case is weak;
        (?:we )?(?:would|will) (?:probably )?lose (?:if|in court|the case);
        counsel thinks; advice (?:from|of|by) (?:our |outside |external )*counsel; tender price (?:is|stands|will(?! be
        (?:published|opened|announced)));
        under no circumstances (?:may|must|should|can)
        [^.\n]{0,40}\b(?:know|learn|hear|told|public|press|disclos\w+|reveal\w*|leak\w*|mention\w*|shared?)\b;
        must not be written down;
        must not (?:reach|get to) (?:the
        (?:press|public|market|bidders?|buyers?|suppliers?|staff|union|media|clients?|customers?|board|others|team|competition|outside)|anyone|anybody|them|him|her|(?-i:[A-Z])\w+);
        known to (?:two|three|four|five|six|\d) (?:people|persons|employees|of us); surprise them;
        before (?:they|he|she|it) (?:learns?|finds? out|notices?);
        (?:union|works council|staff|market|press|buyers?|bidders?) (?:does|do|must|may|should) not
        (?:know|hear|learn)(?! (?:how|where|what|which|why)\b); nda material;
        strictly private; (?:will|to) move production to; (?:will|do) not renew (?:the|our|their)
        (?:contract|lease|licence) with"""
    )
    + r")(?!\w)"
)
