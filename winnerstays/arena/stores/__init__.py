"""Where arenas are kept: one interface, SQLite and PostgreSQL."""
