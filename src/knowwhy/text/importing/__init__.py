"""What source code imports, and which file each import means."""
