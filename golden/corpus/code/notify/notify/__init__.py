"""The service notify of Halmwick."""
