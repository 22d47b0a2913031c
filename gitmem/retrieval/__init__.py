"""Embedding, vector search and re-ranking, each behind a port; knows nothing of records."""

import os

# From its version 1.29 on, onnxruntime makes a device id and reports to its makers from the
# moment it is imported, unless this is set before: whichever module here brings it in.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
