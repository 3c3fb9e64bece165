"""Codes of currencies that papers use."""

CODES = (
    "(?:USD|EUR|GBP|C(?:HF|AD|ZK|NY)|JPY|AUD|N(?:ZD|OK)|S(?:EK|GD)|DKK|PLN|H(?:UF|KD)|R(?:ON|MB)|INR|BRL|MXN|ZAR|KRW"
    "|(?-i:TRY)|ILS|AED)"
)
