"""Identifiers of people and accounts: Presidio's recognisers on a blank spaCy pipeline, and formats they leave out.

Nothing is downloaded: the pipeline is `spacy.blank`, and the e-mail recogniser does not ask `tldextract`, which would
fetch the public suffix list over the network. Loading takes more than a second, when a text first needs it; workers
do it before their processes are forked (`ingestion.workers.load_libraries`).
"""

import logging
import re
import threading
from functools import cache
from typing import Any

from llm.recognisers import formats
from llm.recognisers.findings import DIGIT, Finding, has_any_overlap, matches
from llm.recognisers.formats import blank_urls, is_role_mailbox
from llm.recognisers.people import find_people
from llm.recognisers.registers import find_register_numbers
from text.words import words

# Presidio's entities by our kind.
KINDS = {
    "government_id": words(
        """US_SSN US_ITIN UK_NINO IN_AADHAAR IN_PAN AU_TFN ES_NIF ES_NIE IT_FISCAL_CODE PL_PESEL SG_NRIC_FIN
        FI_PERSONAL_IDENTITY_CODE DE_TAX_ID DE_SOCIAL_SECURITY SE_PERSONNUMMER TR_NATIONAL_ID ZA_ID_NUMBER CA_SIN
        KR_RRN TH_TNIN UK_DRIVING_LICENCE NG_NIN"""
    ),
    "health_id": frozenset({"UK_NHS", "AU_MEDICARE", "DE_HEALTH_INSURANCE", "US_MBI"}),
    "account": frozenset({"IBAN_CODE", "ABA_ROUTING_NUMBER", "CRYPTO"}),
    "card": frozenset({"CREDIT_CARD"}),
    "licence": frozenset({"MEDICAL_LICENSE"}),
}  # fmt: skip
THRESHOLD = 0.4
MIN_PHONE_DIGITS = 8
WEAK = "weak"
"""Name of a recogniser none of whose patterns reaches the threshold by itself."""
# Plain runs of digits whose checksum one number in ten passes by chance: they count only near such a word.
NEEDS_CONTEXT = {
    "UK_NHS": r"nhs|patient|health",
    "AU_MEDICARE": r"medicare",
    "AU_TFN": r"tax|tfn",
    "IN_AADHAAR": r"aadhaar|uidai",
    "PL_PESEL": r"pesel",
    "ABA_ROUTING_NUMBER": r"routing|aba|bank|wire|account",
    "SG_NRIC_FIN": r"nric|fin\b|identity|singapore",
    "ES_NIF": r"nif|dni|identi",
    "US_ITIN": r"itin|tax",
    "DE_TAX_ID": r"steuer|idnr|identif",
    "DE_SOCIAL_SECURITY": r"versicherung|sozial|rente|svnr",
    "DE_HEALTH_INSURANCE": r"kasse|versichert|kvnr|patient",
    "SE_PERSONNUMMER": r"person|född|identi",
    "TR_NATIONAL_ID": r"kimlik|tckn|t\.?c\.?|identi",
    "ZA_ID_NUMBER": r"identi|\bid\b",
    "CA_SIN": r"\bsin\b|social insurance",
    "KR_RRN": r"resident|rrn|주민",
    "TH_TNIN": r"identi|\bid\b|ประชาชน",
    "NG_NIN": r"\bnin\b|identi",
    "US_MBI": r"medicare|mbi|beneficiary",
}
CONTEXT_ANYWHERE = {
    entity: re.compile(word.replace(r"\b", ""), re.IGNORECASE) for entity, word in NEEDS_CONTEXT.items()
}
REGIONS = {
    "en": ("US", "GB"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "it": ("IT",),
    "nl": ("NL", "BE"), "pt": ("PT", "BR"), "pl": ("PL",), "sv": ("SE",), "da": ("DK",),
}  # fmt: skip

_lock = threading.Lock()


@cache
def _build_analyzer() -> Any:
    """The recognisers behind one analyser. Imports are here because spaCy and Presidio take seconds to load."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer import predefined_recognizers as known
    from presidio_analyzer.context_aware_enhancers import LemmaContextAwareEnhancer
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from spacy.language import Language
    from spacy.tokens import Doc

    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)

    @Language.component("lower_lemmas")
    def lower_lemmas(doc: Doc) -> Doc:
        """Context words are compared with lemmas, which a blank pipeline does not have."""
        for token in doc:
            token.lemma_ = token.lower_
        return doc

    class BlankEngine(SpacyNlpEngine):
        def load(self) -> None:
            nlp = spacy.blank("en")
            nlp.add_pipe("lower_lemmas")
            self.nlp = {"en": nlp}  # type: ignore[assignment]

    class OfflineEmailRecognizer(known.EmailRecognizer):
        def validate_result(self, pattern_text: str) -> None:
            """Addresses at internal domains are personal data too, and nothing here may touch the network."""
            return None

    classes = [
        OfflineEmailRecognizer, known.CreditCardRecognizer, known.IbanRecognizer, known.CryptoRecognizer,
        known.UsSsnRecognizer, known.UsItinRecognizer, known.AbaRoutingRecognizer, known.NhsRecognizer,
        known.UkNinoRecognizer, known.InAadhaarRecognizer, known.AuTfnRecognizer,
        known.AuMedicareRecognizer, known.EsNifRecognizer, known.EsNieRecognizer, known.ItFiscalCodeRecognizer,
        known.PlPeselRecognizer, known.FiPersonalIdentityCodeRecognizer, known.SgFinRecognizer,
        known.MedicalLicenseRecognizer, known.DeTaxIdRecognizer, known.DeSocialSecurityRecognizer,
        known.DeHealthInsuranceRecognizer, known.SePersonnummerRecognizer, known.TrNationalIdRecognizer,
        known.ZaIdNumberRecognizer, known.CaSinRecognizer, known.KrRrnRecognizer, known.ThTninRecognizer,
        known.UkDrivingLicenceRecognizer, known.UsMbiRecognizer, known.NgNinRecognizer,
    ]  # fmt: skip
    engine = BlankEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.load()
    recognisers = [cls(supported_language="en") for cls in classes]
    # The weak patterns of this one take longer than all others, and count beside its words alone.
    strong, *weak = known.InPanRecognizer.PATTERNS
    recognisers += [known.InPanRecognizer(patterns=[strong]), known.InPanRecognizer(patterns=weak, name=WEAK)]
    registry = RecognizerRegistry(recognizers=recognisers, supported_languages=["en"])
    enhancer = LemmaContextAwareEnhancer(context_matching_mode="whole_word")
    return AnalyzerEngine(
        registry=registry, nlp_engine=engine, supported_languages=["en"], context_aware_enhancer=enhancer
    )


def find_identifiers(text: str, lang: str = "en") -> list[Finding]:
    """Findings of kinds email, role_mailbox, phone, card, account, government_id, health_id, professional_id, licence,
    personnel_id, born and street, by position."""
    text = blank_urls(text)
    misread = matches("government_id", formats.SSN, text)  # scanners take letters for its digits
    if not DIGIT.search(text):
        return [*misread, *(_find_with_presidio(text) if "@" in text else ())]
    found = [
        *misread,
        *matches("government_id", formats.NATIONAL_ID, text),
        *matches("government_id", formats.NATIONAL_ID_OF, text),
        *matches("government_id", formats.DRIVING_LICENCE, text),
        *matches("licence", formats.LICENCE_OF, text),
        *matches("licence", formats.PLATE, text),
        *matches("health_id", formats.RECORD, text),
        *matches("health_id", formats.PREFIXED_RECORD, text),
        *matches("government_id", formats.PREFIXED_STATE_ID, text),
        *matches("government_id", formats.BARE_SSN, text),
        *matches("professional_id", formats.PROFESSIONAL, text),
        *matches("personnel_id", formats.PREFIXED_PERSON, text),
        *matches("personnel_id", formats.PERSONNEL, text),
        *matches("card", formats.CARD, text),
        *(f for f in matches("born", formats.BORN, text) if not formats.is_history(text[f.start : f.end])),
        *matches("born", formats.BORN_YEAR, text),
        *matches("born", formats.BORN_TABLE, text),
        *matches("street", formats.STREET, text),
        *matches("phone", formats.PHONES, text),
        *find_register_numbers(text),
    ]
    if formats.NUMBERS_ALONE.fullmatch(text):
        found.append(Finding("phone", 0, len(text)))
    if formats.CALLING.search(text):
        found += [f for f in matches("phone", formats.GROUPED, text) if not has_any_overlap(f, found)]
    for person in find_people(text):
        behind = formats.BEHIND_NAME.match(text, person.end)
        if behind and sum(map(str.isdigit, behind["hit"])) >= MIN_PHONE_DIGITS:
            found.append(Finding("phone", *behind.span("hit")))
    for account in matches("account", formats.ACCOUNT, text):
        if sum(character.isdigit() for character in text[account.start : account.end]) >= 4:
            found.append(account)
    digits = sum(map(str.isdigit, text))
    if digits >= 6 or "@" in text:
        found += _find_with_presidio(text)
    if digits >= 7:
        found += _find_phones(text, lang, [f for f in found if f.kind != "phone"])
    accounts = [f for f in found if f.kind == "account"]
    found = [f for f in found if f.kind != "card" or not has_any_overlap(f, accounts)]
    return sorted(found, key=lambda f: (f.start, f.end))


def _find_with_presidio(text: str) -> list[Finding]:
    """A recogniser whose word stands nowhere is not asked, and the words around a number are looked at only where the
    number alone is not enough: splitting a text into words takes longer than all patterns together.
    """
    lowered = text.lower()
    with _lock:  # spaCy's vocabulary is not written to safely by several threads
        analyzer = _build_analyzer()
        results = [
            result
            for recogniser in analyzer.registry.recognizers
            if _may_count(recogniser, text, lowered)
            for result in recogniser.analyze(text, recogniser.supported_entities)
        ]
        unsure = {result.entity_type for result in results if result.score < THRESHOLD}
        unsure = {entity for entity in unsure if any(word in lowered for word in _load_context_words()[entity])}
        results = [result for result in results if result.score >= THRESHOLD]
        if unsure:
            results += analyzer.analyze(text, "en", sorted(unsure), score_threshold=THRESHOLD)
    found = []
    for entity, start, end in sorted({(result.entity_type, result.start, result.end) for result in results}):
        kind = _choose_kind(entity, text[start:end])
        wanted = NEEDS_CONTEXT.get(entity, "")
        near = text[max(0, start - 60) : end + 20]
        if kind and re.search(wanted, near, re.IGNORECASE):
            found.append(Finding(kind, start, end))
    return found


def _may_count(recogniser: Any, text: str, lowered: str) -> bool:
    """Whether a recogniser could find anything in `text` that counts."""
    entity = recogniser.supported_entities[0]
    if entity == "EMAIL_ADDRESS":
        return "@" in text
    if recogniser.name == WEAK and not any(word in lowered for word in recogniser.context):
        return False
    return entity not in CONTEXT_ANYWHERE or CONTEXT_ANYWHERE[entity].search(text) is not None


@cache
def _load_context_words() -> dict[str, list[str]]:
    """Words beside which a number counts more, by Presidio's entity."""
    recognisers = _build_analyzer().registry.recognizers
    return {recogniser.supported_entities[0]: recogniser.context or [] for recogniser in recognisers}


def _choose_kind(entity: str, value: str) -> str:
    if entity == "EMAIL_ADDRESS":
        if not value.rpartition(".")[2].isalpha():
            return ""  # a user at a machine: root@10.0.0.1
        return "role_mailbox" if is_role_mailbox(value) else "email"
    return next((kind for kind, entities in KINDS.items() if entity in entities), "")


def _find_phones(text: str, lang: str, taken: list[Finding]) -> list[Finding]:
    """National formats by libphonenumber. Without a leading "+" they count only behind a word such as "call"."""
    import phonenumbers

    found: list[Finding] = []
    if "+" not in text and "\uff0b" not in text and not formats.CALLED_NUMBER.search(text):
        return found
    for region in REGIONS.get(lang, REGIONS["en"]):
        for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID):
            phone = Finding("phone", match.start, match.end)
            before = text[max(0, match.start - 60) : match.start]
            if not has_any_overlap(phone, taken) and (
                match.raw_string.startswith("+") or formats.PHONE_WORDS.search(before)
            ):
                found.append(phone)
    return found
