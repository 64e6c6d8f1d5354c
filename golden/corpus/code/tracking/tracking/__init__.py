"""The service tracking of Halmwick."""
