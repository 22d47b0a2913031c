"""The union view and the one write path: folder, spool, private records, writer refs, verify."""
