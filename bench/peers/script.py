"""script.py URL DATABASE: what a careful engineer writes in an afternoon.

httpx with eight requests in flight, orjson, executemany, a transaction for every 20 pages, the newer
`modified` wins. It trusts the list: nothing is proven, and a page that moved is a row that is lost.
"""

import asyncio
import sqlite3
import sys

import httpx
import orjson

from columns import CART, LINE, PAYMENT, TRANSACTION, cell

IN_FLIGHT = 8
PAGE = 100
PAGES_A_COMMIT = 20

TABLES = f"""
CREATE TABLE IF NOT EXISTS transactions ({", ".join(TRANSACTION)}, {", ".join("cart_" + c for c in CART)},
  raw TEXT, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS lines (transaction_id, line, {", ".join(LINE)}, taxes,
  PRIMARY KEY (transaction_id, line));
CREATE TABLE IF NOT EXISTS payments (transaction_id, line, {", ".join(PAYMENT)},
  PRIMARY KEY (transaction_id, line));
"""
SETTINGS = """
PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
"""


def insert(table, columns):
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


INSERT_TRANSACTION = insert("transactions", len(TRANSACTION) + len(CART) + 1)
INSERT_LINE = insert("lines", len(LINE) + 3)
INSERT_PAYMENT = insert("payments", len(PAYMENT) + 2)


def text(value):
    return orjson.dumps(value).decode()


def transaction_row(record):
    cart = record.get("cart") or {}
    own = [cell(record, column) for column in TRANSACTION]
    return own + [cell(cart, column) for column in CART] + [text(record)]


def line_rows(record):
    for number, item in enumerate((record.get("cart") or {}).get("items") or []):
        cells = [cell(item, column) for column in LINE]
        yield [record["id"], number, *cells, text(item.get("taxResult"))]


def payment_rows(record):
    for number, payment in enumerate(record.get("payments") or []):
        yield [record["id"], number, *(cell(payment, column) for column in PAYMENT)]


def newest_of(records):
    newest = {}
    for record in records:
        seen = newest.get(record["id"])
        if seen is None or record["modified"] > seen["modified"]:
            newest[record["id"]] = record
    return newest


def store(cursor, records):
    newest = newest_of(records)
    marks = ", ".join("?" * len(newest))
    held = dict(
        cursor.execute(f"SELECT id, modified FROM transactions WHERE id IN ({marks})", list(newest))
    )
    fresh = [r for key, r in newest.items() if held.get(key, -1) < r["modified"]]
    replaced = [(r["id"],) for r in fresh if r["id"] in held]
    if replaced:
        cursor.executemany("DELETE FROM transactions WHERE id = ?", replaced)
        cursor.executemany("DELETE FROM lines WHERE transaction_id = ?", replaced)
        cursor.executemany("DELETE FROM payments WHERE transaction_id = ?", replaced)
    cursor.executemany(INSERT_TRANSACTION, [transaction_row(r) for r in fresh])
    cursor.executemany(INSERT_LINE, [row for r in fresh for row in line_rows(r)])
    cursor.executemany(INSERT_PAYMENT, [row for r in fresh for row in payment_rows(r)])


async def pages(url):
    """The records of each page in order, eight requests ahead, until a page is empty."""
    limits = httpx.Limits(max_connections=IN_FLIGHT)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def fetch(number):
            answer = await client.get(url, params={"skip": number * PAGE, "limit": PAGE})
            answer.raise_for_status()
            return orjson.loads(answer.content)["values"]

        queue = [asyncio.create_task(fetch(number)) for number in range(IN_FLIGHT)]
        following, ended = IN_FLIGHT, False
        while queue:
            records = await queue.pop(0)
            if not records:
                ended = True
                continue
            if not ended:
                queue.append(asyncio.create_task(fetch(following)))
                following += 1
            yield records


async def main(url, database):
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript(SETTINGS + TABLES)
    cursor = connection.cursor()
    read = 0
    async for records in pages(url):
        if read % PAGES_A_COMMIT == 0:
            cursor.execute("BEGIN")
        store(cursor, records)
        read += 1
        if read % PAGES_A_COMMIT == 0:
            cursor.execute("COMMIT")
    if connection.in_transaction:
        cursor.execute("COMMIT")
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


asyncio.run(main(*sys.argv[1:3]))
