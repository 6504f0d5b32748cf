"""framework.py URL FOLDER [POSTGRES]: dlt's rest_api source into SQLite or PostgreSQL, tuned as its documentation says.

Its files rotate so that it normalizes and loads in parallel, its intermediate files are not
compressed, and taxes stay JSON, so that it fills the same three tables as the others.
https://dlthub.com/docs/reference/performance
"""

import os
import sys

url, folder = sys.argv[1:3]
address = sys.argv[3] if len(sys.argv) > 3 else None
base, path = url.rsplit("/", 1)
UNCOMPRESSED = {
    f"{part}DATA_WRITER__DISABLE_COMPRESSION": "true" for part in ("", "SOURCES__", "NORMALIZE__")
}
os.environ.update(
    {
        "DLT_DATA_DIR": folder + "/dlt",
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "DATA_WRITER__BUFFER_MAX_ITEMS": "5000",
        "SOURCES__DATA_WRITER__FILE_MAX_ITEMS": "5000",
        "EXTRACT__DATA_WRITER__FILE_MAX_ITEMS": "5000",
        "NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS": "400000",
        "EXTRACT__WORKERS": "4",
        "NORMALIZE__WORKERS": "2",
        "LOAD__WORKERS": "1",
        "NORMALIZE__START_METHOD": "fork",
        **UNCOMPRESSED,
    }
)

import dlt
import orjson
from dlt.sources.rest_api import rest_api_source

from columns import AMOUNTS


def keep_taxes_as_json(record):
    for item in (record.get("cart") or {}).get("items") or []:
        for field in ("taxResult", "quantityLogs"):
            item[field] = orjson.dumps(item.get(field)).decode()
    return record


def main():
    source = rest_api_source(
        {
            "client": {
                "base_url": base + "/",
                "paginator": {
                    "type": "offset",
                    "limit": 100,
                    "offset": 0,
                    "offset_param": "skip",
                    "limit_param": "limit",
                    "total_path": None,
                    "stop_after_empty_page": True,
                },
            },
            "resource_defaults": {"primary_key": "id", "write_disposition": "merge"},
            "resources": [
                {
                    "name": "transactions",
                    "endpoint": {"path": path, "data_selector": "values"},
                    "columns": {"modified": {"dedup_sort": "desc"}},
                    "parallelized": True,
                }
            ],
        },
        name="api",
    )
    source.resources["transactions"].add_map(keep_taxes_as_json)
    # 5 and 5.25 would become two columns otherwise.
    names = "|".join(sorted(AMOUNTS | {"quantity", "pointsEarned", "rate", "tax"}))
    source.schema.update_preferred_types({f"re:(?i).*({names}).*(?<!type)$": "double"})
    pipeline = dlt.pipeline(
        "peer",
        destination=dlt.destinations.postgres(address)
        if address
        else dlt.destinations.sqlalchemy(f"sqlite:///{folder}/peer.db"),
        dataset_name="raw",
        pipelines_dir=folder + "/pipelines",
    )
    print(pipeline.run(source))


main()
