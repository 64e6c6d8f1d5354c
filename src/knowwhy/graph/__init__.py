"""The graph of records, people, teams and services: built from links, walked and ranked."""
