BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "meta" (
   "key" TEXT PRIMARY KEY,
   "value" TEXT
);
INSERT INTO meta VALUES('fingerprint','0.1.0');
CREATE TABLE IF NOT EXISTS "workspaces" (
   "id" INTEGER PRIMARY KEY,
   "root" TEXT NOT NULL
);
INSERT INTO workspaces VALUES(1,'/old');
CREATE TABLE IF NOT EXISTS "files" (
   "id" INTEGER PRIMARY KEY,
   "workspace_id" INTEGER NOT NULL REFERENCES "workspaces"("id"),
   "path" TEXT NOT NULL,
   "size" INTEGER NOT NULL,
   "mtime_ns" INTEGER NOT NULL,
   "hash" BLOB NOT NULL,
   "language" TEXT NOT NULL,
   "verdict" TEXT NOT NULL,
   "n_symbols" INTEGER NOT NULL
, "stem" TEXT NOT NULL DEFAULT '');
INSERT INTO files VALUES(1,1,'old.py',1,2,X'0102','python','indexed',1,'old');
CREATE TABLE IF NOT EXISTS "symbols" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "name" TEXT,
   "kind" TEXT,
   "qualified_name" TEXT,
   "signature" TEXT,
   "doc" TEXT,
   "span_start" INTEGER,
   "span_end" INTEGER,
   "name_start" INTEGER,
   "name_end" INTEGER,
   "line" INTEGER,
   "parent" TEXT
, "owner" TEXT NOT NULL DEFAULT '', "bases" TEXT NOT NULL DEFAULT '');
INSERT INTO symbols VALUES(1,1,'f','function','f','def f()','',0,9,4,5,0,'','','');
CREATE TABLE IF NOT EXISTS "refs" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "name" TEXT,
   "n" INTEGER,
   "line" INTEGER
);
INSERT INTO refs VALUES(1,1,'g',1,1);
CREATE TABLE IF NOT EXISTS "imports" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "module" TEXT,
   "name" TEXT,
   "alias" TEXT,
   "line" INTEGER
);
INSERT INTO imports VALUES(1,1,'os','','',0);
CREATE TABLE IF NOT EXISTS "chunks" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "name" TEXT,
   "span_start" INTEGER,
   "span_end" INTEGER,
   "line" INTEGER,
   "end_line" INTEGER,
   "words" TEXT
);
INSERT INTO chunks VALUES(1,1,'f',0,9,0,1,'def f g');
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','chunk_words','chunk_words',0,'CREATE VIRTUAL TABLE chunk_words using fts5(words, content=''chunks'', content_rowid=''id'', tokenize="ascii tokenchars ''_''")');
CREATE TABLE IF NOT EXISTS 'chunk_words_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO chunk_words_data VALUES(1,X'0103');
INSERT INTO chunk_words_data VALUES(10,X'000000010101010001010101');
INSERT INTO chunk_words_data VALUES(137438953473,X'000000180430646566010202010166010203010167010204040806');
CREATE TABLE IF NOT EXISTS 'chunk_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO chunk_words_idx VALUES(1,X'',2);
CREATE TABLE IF NOT EXISTS 'chunk_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO chunk_words_docsize VALUES(1,X'03');
CREATE TABLE IF NOT EXISTS 'chunk_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO chunk_words_config VALUES('usermerge',2);
INSERT INTO chunk_words_config VALUES('version',4);
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','chunk_vocabulary','chunk_vocabulary',0,'CREATE VIRTUAL TABLE chunk_vocabulary using fts5vocab(''chunk_words'', ''row'')');
CREATE UNIQUE INDEX "idx_workspaces_root"
    ON "workspaces" ("root");
CREATE UNIQUE INDEX "idx_files_workspace_id_path"
    ON "files" ("workspace_id", "path");
CREATE INDEX "idx_symbols_file_id"
    ON "symbols" ("file_id");
CREATE INDEX "idx_symbols_name"
    ON "symbols" ("name");
CREATE INDEX "idx_refs_file_id"
    ON "refs" ("file_id");
CREATE INDEX "idx_imports_file_id"
    ON "imports" ("file_id");
CREATE INDEX "idx_files_workspace_id_stem"
    ON "files" ("workspace_id", "stem");
CREATE INDEX idx_symbols_owner on symbols (owner) where owner != '';
CREATE INDEX "idx_refs_name_file_id"
    ON "refs" ("name", "file_id");
CREATE INDEX "idx_chunks_file_id"
    ON "chunks" ("file_id");
PRAGMA writable_schema=OFF;
COMMIT;
pragma user_version = 2;
