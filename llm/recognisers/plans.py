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
FIRM = r"(?:[A-ZÄÖÜ][\w&.'’-]*|the (?:company|business|firm|shares|brewery|competitor)|them|it)"
PLANS = re.compile(
    rf"\b(?i:{WE})\s(?:\w+\s){{0,3}}?(?i:buy(?:ing)?|acquir(?:e|ing)|tak(?:e|ing) over|bid(?:ding)? for|mak(?:e"
    rf"|ing) an offer for"
    rf"|merg(?:e|ing) with|sell(?:ing)? (?:our )?(?:stake|shares|division)(?: (?:in|of|to))?|su(?:e|ing)|tak(?:e"
    rf"|ing) to court"
    rf"|settl(?:e|ing) with|acquir(?:e|ing))\s{FIRM}"
    r"|\b(?i:"
    + phrases(
        r"""(?:we(?:['’]re| are)|(?:company|firm) is) (?:being|getting) (?:bought|sold|acquired|taken over);
        walk-?away price;
        (?:has|have) (?:secretly |quietly )?approached us; approached us about (?:a|an) \w+;
        (?:negotiating|bargaining) position;
        (?:stays?|remains?) (?:in|within|among) (?:the room|this room|us|ourselves); keep it (?:quiet|secret|dark);
        don['’]t tell (?:any(?:one|body)|a soul|them|the \w+);
        (?:don['’]t|do not|must not|nobody may) know (?:yet|before);
        (?:they|he|she) (?:do|does) not know (?:it |this )?yet; (?:has|have) not been told; weiß (?:noch )?nichts;
        noch nicht (?:bekannt|öffentlich);
        erst am [^.\n]{1,30} bekannt; wollen [^.\n]{2,40} übernehmen;
        (?:plant|office|site|factory|shop|branch|works|store)\b[^.\n]{0,30}
        (?:will|is to|shall) (?:be
        )?(?:shut|close|closed|closing)\b[^.\n]{0,40}(?:told|announce\w*|public|know|informed);
        (?:closing|closure) of [^.\n]{2,40} will be (?:communicated|announced|told);
        (?:lose|losing) (?:his|her|their) jobs?; let (?:about |some |around |up to )?\w+
        (?:people|employees|colleagues|staff) go;
        code ?name[: ]; due diligence (?:of|on|at|for) (?=[A-Z]); patent application (?:is|was|has) not;
        (?:not|never) (?:yet )?reported to the (?:authorit\w+|regulator|police);
        (?:regulator|authority|prosecutor)s? (?:has|have)
        opened an? (?:investigation|inquiry); (?:our|the) case is weak;
        (?:we )?(?:would|will) (?:probably )?lose (?:if|in court|the case);
        counsel thinks; advice (?:from|of|by) (?:our |outside |external )*counsel; tender price (?:is|stands|will);
        under no circumstances (?:may|must|should|can) \w+; must not (?:be written down|reach|get to);
        known to (?:two|three|four|five|six|\d) (?:people|persons|employees|of us); surprise them;
        before (?:they|he|she|it) (?:learns?|finds? out|notices?);
        (?:union|works council|staff|market|press|buyers?|bidders?) (?:does|do|must|may|should) not
        (?:know|hear|learn); nda material;
        strictly private; (?:will|to) move production to; (?:will|do) not renew (?:the|our|their)
        (?:contract|lease|licence) with"""
    )
    + r")(?!\w)"
)
