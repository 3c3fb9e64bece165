"""Words of medicine by how they are made: what ends like an illness, an operation or a medicine is one.

Names of medicines follow the stems of the International Nonproprietary Names (WHO), so that next year's are found too;
names of brands do not, and the commonest are listed.
"""

import re
from collections.abc import Iterator

from llm.recognisers.findings import Finding
from text.words import words

WORD = re.compile(r"[^\W\d_]{5,30}")
ILLNESS = tuple(
    words(
        """itis carcinoma sarcoma lymphoma melanoma myeloma glaucoma granuloma adenoma aemia emia leukämie anämie
        pathy neuropathie plegia lepsy epsie ectomy ektomie otomy oscopy oskopie plasty algia algie sclerosis
        sklerose fibrosis cirrhosis thrombosis stenosis necrosis psychosis arthrosis arthrose endometriosis
        tuberculosis osteoporosis sepsis phobia rrhagia rrhoea rrhea dystrophy insufficiency infarction infarkt
        tumor tumour krebs metastasis metastases aneurysm embolism embolie apnea apnoea eczema dialysis
        transplant transplantation schmerzen entzündung erkrankung"""
    )
)
MEDICINE = tuple(
    words(
        """mab pril sartan statin olol prazole conazole cillin mycin floxacin dipine zepam zolam zodone gliptin
        gliflozin glutide triptan parin xaban gatran profen codone morphone fentanil tinib ciclovir navir
        barbital oxetine oxetin triptyline pramine olukast terol thiazide semide formin cycline tidine setron
        dronate lukast tiapine zapine"""
    )
)
BRANDS = words(
    """xarelto eliquis humira ozempic wegovy mounjaro ritalin concerta adderall prozac zoloft cipralex lexapro seroquel
    xanax valium tavor viagra cialis ventolin symbicort advair seretide januvia jardiance lantus humalog novorapid
    synthroid euthyrox enbrel remicade stelara cosentyx keytruda herceptin opdivo imuran plavix lipitor crestor nexium
    zantac marcumar coumadin lovenox clexane lyrica neurontin tegretol keppra lamictal depakote zyprexa abilify
    risperdal
    haldol lithium truvada descovy biktarvy epclusa tamiflu paxlovid aricept madopar sinemet botox suboxone
    subutex methadone antabuse oxycontin percocet vicodin tramal novalgin insulin cortisone kortison antidepressants
    methylphenidate sertraline citalopram escitalopram venlafaxine mirtazapine bupropion lorazepam levothyroxine"""
)
OTHER = words(
    """sympathy empathy apathy telepathy telepathie homeopathy nostalgia nostalgie academia bohemia macadamia april
    magazine antipathy dichotomy jeremia euphemia noemia akademia chemia premia litis"""
)
LOOKING = ("spectroscopy", "microscopy", "stroboscopy", "spektroskopie", "mikroskopie")
"""Words that end so and are none; those of looking end others as well."""
NO_BUILDING = (
    r"(?!\s+(?:customers?|projects?|sites?|groups?|buyers?|clients?|staff|beds?|software|buildings?|departments?))"
)
TROUBLE = re.compile(
    r"\b(?:heart|back|knee|hip|shoulder|lung|kidney|liver|eye|ear|spine|neck|wrist|ankle|foot|skin|stomach|bowel|brain|blood"
    r"|nerve|prostate|breast|bladder|thyroid|herz|rücken|knie|hüft|lungen|nieren|leber|magen)[\s-]?"
    r"(?:operation|op|surgery|pain|trouble|problems?|replacement|attack|failure|condition|transplant|disease|disorder|bypass"
    r"|infection|cancer|clots?|injury|probleme?|leiden|schaden)\b"
    r"|\b(?:weak|bad|dodgy|slipped|torn|broken|fractured|swollen|paralysed|transplanted)\s+(?:heart|back|knee|hip|disc"
    r"|ligament|tendon|arm|leg|wrist|ankle|rib|foot|hand|collarbone|shoulder|lungs?|kidneys?)\b"
    r"|\b(?:nervous\s+breakdown|breakdown\s+last|(?:is|was|were|be|turned\s+out)\s+(?:malignant|benign)|(?:malignant|benign)\s+(?:tumou?r|growth|lump|cyst|polyp|mole|lesion|finding|result)s?|blood\s+pressure|(?:has|had|needs?|removed)\s+(?:a|the|part\s+of\s+(?:his|her)|his"
    r"|her|an)\s+(?:\w+\s+)?(?:lump|kidney|lung|stent|bypass(?!\s+(?:valve|line|pipe|road|switch|filter))|stoma|catheter|(?<!virus\s)(?<!security\s)(?<!port\s)(?<!network\s)scan(?!\s+(?:of|from|made|for)\b)|biopsy|cyst|polyps?)|(?:has|had|removed)\s+a\s+growth|(?:is|are|been|was|am)\s+signed\s+off\s+(?:sick|ill|work|until|from\s+work|for\s+(?:\w+\s+){1,2}(?:days?|weeks?|months?)|with\s+(?:an?\s+|stress|depress|burn|anxiety|back|flu))"
    rf"|(?<!memory\s)(?<!pool\s)(?<!port\s)(?<!resource\s)(?<!heap\s)(?<!thread\s)(?<!address\s)exhaustion(?!\s+(?:of|line|attack|error|bug))|paramedics?|(?:in|by)\s+(?:an?\s+)?ambulance|intensive\s+care|\bICU\b|A&E|emergency\s+room|(?:in(?:to)?|to)\s+hospital{NO_BUILDING}"
    rf"|(?:is|was|been|taken|admitted|rushed|brought|went)\s+(?:in|to|into)\s+(?:the\s+)?hospital{NO_BUILDING}|(?:entered|admitted\s+to|gone\s+into)\s+(?:a|the)\s+clinic|(?:drinking|drinks)\s+(?:heavily|again|too\s+much(?!\s+(?:coffee|tea|water)))"
    r"|collapsed\s+(?:at\s+(?:work|his|her)|on\s+the\s+way|in\s+the\s+office)|fainted|going\s+(?:blind|deaf)|hearing\s+voices|panic\s+attacks?|speech\s+has\s+not|HIV|HbA1c|morning\s+sickness"
    r"|weeks\s+(?:along|pregnant)|(?:take|took|taking)\s+(?:his|her|their)\s+own\s+life|cut\s+(?:himself|herself)"
    r"|smear\s+test|(?:his|her|my|blood|hiv|covid|pregnancy)\s+test\s+came\s+back|test\s+came\s+back\s+(?:positive|negative)|blood\s+(?:results|alcohol|sugar)|per\s+mille"
    r"|(?:sees?|seeing|saw|recommended\s+by|referred\s+to)\s+(?:an?|his|her|the)\s+(?:\w+\s+)?(?:psycho\w+|counsell?or|shrink|(?!(?:techn|ge|archae|ec|hydr|metr|meteor|bi|zo|soci|climat|anthrop|the)olog)\w+ologist"
    r"|midwife|physio\w*|specialist(?!\s+(?:from|team|suppl\w+|firm|contractor|for|in|at|department|company)))|gave\s+birth|lost\s+the\s+(?:baby|child)|wheelchair|crutches|walking\s+stick"
    r"|leidet\s+an|im\s+krankenhaus|in\s+der\s+klinik|notaufnahme|krebs|chemo|(?:wurde|wird|werden|muss|soll)\s+(?:\w+\s+){0,4}operiert|operiert\s+(?:worden|werden)|frisch\s+operiert|schwanger"
    r"|à\s+l['’]hôpital|hospitalisée?|souffre\s+d|enceinte|infarctus|opérée?(?!\s+par\b)|tumeur"
    r"|infarto|ingresad[oa]|embarazada|tumore?|cirugía|diabete|incinta|ricoverat[oa])\b",
    re.IGNORECASE,
)


def find_medical_words(text: str) -> Iterator[Finding]:
    """Findings of kind "health": words for an illness, an operation, a medicine or a trouble of the body."""
    for match in WORD.finditer(text):
        word = match.group().lower()
        if word in BRANDS or word.endswith((*ILLNESS, *MEDICINE)) and not (word in OTHER or word.endswith(LOOKING)):
            yield Finding("health", *match.span())
    for match in TROUBLE.finditer(text):
        yield Finding("health", *match.span())
