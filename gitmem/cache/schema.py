"""The tables of the cache. A change here is a new SCHEMA_VERSION: caches are rebuilt, not migrated.

Record and commit ids are stored as bytes. `listing` holds every order in which records are
listed, newest last: one list for each path, for each folder above it, and for each kind; the
lists are named in `path`, with a leading slash where they are not paths of files.
A `segment` row is a name (and blob) that some place or commit has; `source` is the row whose
content was read for it, NULL while nothing was. `orphan` are records that no place and no
commit holds any more. `mention` has the commits that a decision names, and its base
(`rows.base_name`). `full_text` holds documents of every kind (row ids: see `text`).

`note_name` holds the ends of a note's path, folded, by which links find it, and its aliases;
`note_link` and `record_link` hold wikilinks by the folded name that they say, not by what they
lead to: what is added or renamed later changes what a link means and not its row.
"""

from __future__ import annotations

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memo (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE path (
    pid INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, reversed TEXT,
    total INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX path_reversed ON path (reversed) WHERE reversed IS NOT NULL;
CREATE TABLE spelling (
    folded TEXT NOT NULL, pid INTEGER NOT NULL, PRIMARY KEY (folded, pid)
) WITHOUT ROWID;

CREATE TABLE record (
    rid INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, seq INTEGER NOT NULL,
    kind TEXT NOT NULL, key INTEGER, is_withheld INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX record_key ON record (key) WHERE key IS NOT NULL;
CREATE TABLE listing (
    pid INTEGER NOT NULL, seq INTEGER NOT NULL, tie INTEGER NOT NULL, rid INTEGER NOT NULL,
    PRIMARY KEY (pid, seq, tie, rid)
) WITHOUT ROWID;
CREATE TABLE orphan (rid INTEGER PRIMARY KEY, seq INTEGER NOT NULL, tie INTEGER NOT NULL);
CREATE TABLE link (
    rel INTEGER NOT NULL, target BLOB NOT NULL, rid INTEGER NOT NULL,
    PRIMARY KEY (rel, target, rid)
) WITHOUT ROWID;
CREATE INDEX link_rid ON link (rid);
CREATE TABLE mention (
    name TEXT NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (name, rid)
) WITHOUT ROWID;
CREATE INDEX mention_rid ON mention (rid);

CREATE TABLE segment (
    sid INTEGER PRIMARY KEY, name TEXT NOT NULL, blob TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 0, source INTEGER, is_live INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, blob)
);
CREATE INDEX segment_source ON segment (source) WHERE source IS NOT NULL;
CREATE TABLE holding (
    rid INTEGER NOT NULL, sid INTEGER NOT NULL, PRIMARY KEY (rid, sid)
) WITHOUT ROWID;
CREATE INDEX holding_sid ON holding (sid, rid);
CREATE TABLE problem (
    sid INTEGER NOT NULL, line INTEGER NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL,
    place TEXT NOT NULL, id TEXT
);
CREATE INDEX problem_sid ON problem (sid);

CREATE TABLE shelf (shid INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, dropped INTEGER);
CREATE TABLE shelf_segment (
    shid INTEGER NOT NULL, sid INTEGER NOT NULL, PRIMARY KEY (shid, sid)
) WITHOUT ROWID;
CREATE INDEX shelf_segment_sid ON shelf_segment (sid, shid);
CREATE TABLE place (plid INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, key TEXT NOT NULL);
CREATE TABLE place_shelf (
    plid INTEGER NOT NULL, shid INTEGER NOT NULL, PRIMARY KEY (plid, shid)
) WITHOUT ROWID;
CREATE INDEX place_shelf_shid ON place_shelf (shid, plid);
CREATE TABLE place_segment (
    plid INTEGER NOT NULL, sid INTEGER NOT NULL, PRIMARY KEY (plid, sid)
) WITHOUT ROWID;
CREATE INDEX place_segment_sid ON place_segment (sid, plid);

CREATE TABLE code_commit (
    cid INTEGER PRIMARY KEY, oid BLOB NOT NULL UNIQUE, at INTEGER NOT NULL,
    has_reason INTEGER NOT NULL, is_merge INTEGER NOT NULL,
    author TEXT NOT NULL, email TEXT NOT NULL, message TEXT NOT NULL
);
CREATE INDEX code_commit_at ON code_commit (at, cid, has_reason);
CREATE TABLE touch (
    pid INTEGER NOT NULL, cid INTEGER NOT NULL, at INTEGER NOT NULL,
    has_reason INTEGER NOT NULL, status TEXT NOT NULL, old_pid INTEGER,
    PRIMARY KEY (pid, cid)
) WITHOUT ROWID;
CREATE TABLE tip (cid INTEGER PRIMARY KEY);
CREATE TABLE added (
    sid INTEGER NOT NULL, cid INTEGER NOT NULL, PRIMARY KEY (sid, cid)
) WITHOUT ROWID;
CREATE INDEX added_cid ON added (cid, sid);
CREATE TABLE head (
    hid INTEGER PRIMARY KEY, worktree TEXT NOT NULL UNIQUE, oid TEXT, last_cid INTEGER NOT NULL
);
CREATE TABLE outside (
    hid INTEGER NOT NULL, cid INTEGER NOT NULL, PRIMARY KEY (hid, cid)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE full_text USING fts5 (
    text, content='', tokenize='porter unicode61 remove_diacritics 2 categories ''L* M* N* Co'''
);

CREATE TABLE vault (vid INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE note (
    nid INTEGER PRIMARY KEY, vid INTEGER NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
    title TEXT NOT NULL, aliases TEXT NOT NULL, tags TEXT NOT NULL, is_hub INTEGER NOT NULL,
    UNIQUE (vid, path)
);
CREATE TABLE chunk (
    chid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, nid INTEGER NOT NULL,
    number INTEGER NOT NULL, heading TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX chunk_note ON chunk (nid, number);
CREATE TABLE note_name (
    name TEXT NOT NULL, nid INTEGER NOT NULL, is_alias INTEGER NOT NULL,
    PRIMARY KEY (name, nid, is_alias)
) WITHOUT ROWID;
CREATE INDEX note_name_nid ON note_name (nid);
CREATE TABLE note_link (
    nid INTEGER NOT NULL, position INTEGER NOT NULL, number INTEGER NOT NULL,
    name TEXT NOT NULL, target TEXT NOT NULL, heading TEXT NOT NULL, block TEXT NOT NULL,
    line INTEGER NOT NULL, PRIMARY KEY (nid, position)
) WITHOUT ROWID;
CREATE INDEX note_link_name ON note_link (name, nid, position);
CREATE TABLE record_link (
    rid INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL,
    heading TEXT NOT NULL, block TEXT NOT NULL, PRIMARY KEY (rid, position)
) WITHOUT ROWID;
CREATE INDEX record_link_name ON record_link (name, rid, position);
"""
