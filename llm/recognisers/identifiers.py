"""Identifiers of people and accounts: Presidio's recognisers on a blank spaCy pipeline, and formats they leave out.

Nothing is downloaded: the pipeline is `spacy.blank`, and the e-mail recogniser does not ask `tldextract`, which would
fetch the public suffix list over the network. Loading takes two to three seconds, once a process, when first needed.
"""

import logging
import re
import threading
from functools import cache
from typing import Any

from llm.recognisers import formats
from llm.recognisers.findings import Finding, any_overlap, matches, words
from llm.recognisers.formats import is_role_mailbox, without_urls

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
REGIONS = {
    "en": ("US", "GB"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "it": ("IT",),
    "nl": ("NL", "BE"), "pt": ("PT", "BR"), "pl": ("PL",), "sv": ("SE",), "da": ("DK",),
}  # fmt: skip

_lock = threading.Lock()


@cache
def _analyzer() -> Any:
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
        known.UkNinoRecognizer, known.InAadhaarRecognizer, known.InPanRecognizer, known.AuTfnRecognizer,
        known.AuMedicareRecognizer, known.EsNifRecognizer, known.EsNieRecognizer, known.ItFiscalCodeRecognizer,
        known.PlPeselRecognizer, known.FiPersonalIdentityCodeRecognizer, known.SgFinRecognizer,
        known.MedicalLicenseRecognizer, known.DeTaxIdRecognizer, known.DeSocialSecurityRecognizer,
        known.DeHealthInsuranceRecognizer, known.SePersonnummerRecognizer, known.TrNationalIdRecognizer,
        known.ZaIdNumberRecognizer, known.CaSinRecognizer, known.KrRrnRecognizer, known.ThTninRecognizer,
        known.UkDrivingLicenceRecognizer, known.UsMbiRecognizer, known.NgNinRecognizer,
    ]  # fmt: skip
    engine = BlankEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.load()
    registry = RecognizerRegistry(
        recognizers=[cls(supported_language="en") for cls in classes], supported_languages=["en"]
    )
    enhancer = LemmaContextAwareEnhancer(context_matching_mode="whole_word")
    return AnalyzerEngine(
        registry=registry, nlp_engine=engine, supported_languages=["en"], context_aware_enhancer=enhancer
    )


def find_identifiers(text: str, lang: str = "en") -> list[Finding]:
    """Findings of kinds email, role_mailbox, phone, card, account, government_id, health_id, professional_id, licence,
    personnel_id, born and street, by position."""
    text = without_urls(text)
    found = [
        *matches("government_id", formats.SSN, text),
        *matches("government_id", formats.NATIONAL_ID, text),
        *matches("government_id", formats.NATIONAL_ID_OF, text),
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
    ]
    if formats.CALLING.search(text):
        found += [f for f in matches("phone", formats.GROUPED, text) if not any_overlap(f, found)]
    for account in matches("account", formats.ACCOUNT, text):
        if sum(character.isdigit() for character in text[account.start : account.end]) >= 4:
            found.append(account)
    digits = sum(map(str.isdigit, text))
    if digits >= 6 or "@" in text:
        found += _presidio(text)
    if digits >= 7:
        found += _phones(text, lang, [f for f in found if f.kind != "phone"])
    accounts = [f for f in found if f.kind == "account"]
    found = [f for f in found if f.kind != "card" or not any_overlap(f, accounts)]
    return sorted(found, key=lambda f: (f.start, f.end))


def _presidio(text: str) -> list[Finding]:
    with _lock:  # spaCy's vocabulary is not written to safely by several threads
        results = _analyzer().analyze(text=text, language="en", score_threshold=THRESHOLD)
    found = []
    for result in results:
        kind = _kind(result.entity_type, text[result.start : result.end])
        wanted = NEEDS_CONTEXT.get(result.entity_type, "")
        near = text[max(0, result.start - 60) : result.end + 20]
        if kind and re.search(wanted, near, re.IGNORECASE):
            found.append(Finding(kind, result.start, result.end))
    return found


def _kind(entity: str, value: str) -> str:
    if entity == "EMAIL_ADDRESS":
        if not value.rpartition(".")[2].isalpha():
            return ""  # a user at a machine: root@10.0.0.1
        return "role_mailbox" if is_role_mailbox(value) else "email"
    return next((kind for kind, entities in KINDS.items() if entity in entities), "")


def _phones(text: str, lang: str, taken: list[Finding]) -> list[Finding]:
    """National formats by libphonenumber. Without a leading "+" they count only behind a word such as "call"."""
    import phonenumbers

    found = []
    for region in REGIONS.get(lang, REGIONS["en"]):
        for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID):
            phone = Finding("phone", match.start, match.end)
            before = text[max(0, match.start - 45) : match.start]
            if not any_overlap(phone, taken) and (
                match.raw_string.startswith("+") or formats.PHONE_WORDS.search(before)
            ):
                found.append(phone)
    return found
