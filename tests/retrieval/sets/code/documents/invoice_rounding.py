"""Totals and taxes for customer invoices.

All amounts are kept as Decimal.  A line is priced with four decimal places;
rounding to cents happens exactly once per tax rate, never per line, because
the tax office compares the tax of the whole invoice and not of its lines.
"""
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal, ROUND_HALF_EVEN, ROUND_HALF_UP

CENT = Decimal("0.01")
LINE_PRECISION = Decimal("0.0001")

# Largest difference between our total and a supplier's total that is
# booked to the account for small differences without asking a clerk.
SMALL_DIFFERENCE = Decimal("0.05")


@dataclass
class Line:
    description: str
    quantity: Decimal
    unit_price: Decimal
    tax_rate: Decimal          # 0.19 means 19 percent
    discount: Decimal = Decimal("0")


def net_of_line(line):
    """Net amount of one line, with four decimal places."""
    gross = line.quantity * line.unit_price
    reduced = gross * (1 - line.discount)
    return reduced.quantize(LINE_PRECISION, rounding=ROUND_HALF_UP)


def tax_per_rate(lines):
    """Return {rate: (net, tax)}, the tax rounded commercially to cents."""
    sums = defaultdict(Decimal)
    for line in lines:
        sums[line.tax_rate] += net_of_line(line)
    result = {}
    for rate, net in sums.items():
        tax = (net * rate).quantize(CENT, rounding=ROUND_HALF_UP)
        result[rate] = (net.quantize(CENT, rounding=ROUND_HALF_UP), tax)
    return result


def invoice_total(lines):
    """Sum of all nets and taxes, in cents."""
    return sum((net + tax for net, tax in tax_per_rate(lines).values()), Decimal("0"))


def round_cash(amount):
    """Round to five hundredths for cash payments in Switzerland."""
    return (amount / Decimal("0.05")).quantize(Decimal("1"), rounding=ROUND_HALF_UP) * Decimal("0.05")


def interest(amount, days, yearly_rate):
    """Interest on arrears.  Uses banker's rounding, as agreed with the bank."""
    raw = amount * yearly_rate * days / Decimal(365)
    return raw.quantize(CENT, rounding=ROUND_HALF_EVEN)


def accept_supplier_total(ours, theirs):
    """True when the supplier's total may be booked without a clerk."""
    return abs(ours - theirs) <= SMALL_DIFFERENCE
