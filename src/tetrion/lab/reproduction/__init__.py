"""How a document is reproduced: claims as data, measurements that are kept, verdicts, and the report."""
