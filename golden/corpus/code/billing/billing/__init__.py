"""The service billing of Halmwick."""
