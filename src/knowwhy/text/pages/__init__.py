"""Written documents: their structure, and the pieces that are embedded."""
