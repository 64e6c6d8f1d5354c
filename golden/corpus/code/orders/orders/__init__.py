"""The service orders of Halmwick."""
