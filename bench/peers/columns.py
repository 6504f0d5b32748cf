"""The columns that both peers fill: three tables, amounts as whole cents, the rest as it came."""

TRANSACTION = (
    "id created modified companyId shopId transNo memberId sellerId sellerTerminalId transType status "
    "queueType checkinTime startTime processedTime completedTime endTime timeZone active pointsEarned"
).split()
CART = "subTotal totalDiscount totalCalcTax total cashReceived changeDue paymentOption".split()
LINE = (
    "orderItemId productId batchId status quantity unitPrice cost discount discountType calcDiscount "
    "finalPrice calcTax"
).split()
PAYMENT = "id paymentOption paidAmount paymentReceived changeDue".split()

AMOUNTS = set(
    "subTotal totalDiscount totalCalcTax total cashReceived changeDue unitPrice cost discount "
    "calcDiscount finalPrice calcTax paidAmount paymentReceived".split()
)


def cell(record, column):
    """One value of a record; an amount in cents."""
    value = record.get(column)
    return round(value * 100) if column in AMOUNTS and value is not None else value
