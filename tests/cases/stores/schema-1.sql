BEGIN TRANSACTION;
CREATE TABLE "files" (
   "id" INTEGER PRIMARY KEY,
   "workspace_id" INTEGER NOT NULL REFERENCES "workspaces"("id"),
   "path" TEXT NOT NULL,
   "size" INTEGER NOT NULL,
   "mtime_ns" INTEGER NOT NULL,
   "hash" BLOB NOT NULL,
   "language" TEXT NOT NULL,
   "verdict" TEXT NOT NULL,
   "n_symbols" INTEGER NOT NULL
);
INSERT INTO "files" VALUES(1,1,'old.py',1,2,X'0102','python','indexed',1);
CREATE TABLE "imports" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "module" TEXT,
   "name" TEXT,
   "alias" TEXT,
   "line" INTEGER
);
INSERT INTO "imports" VALUES(1,1,'os','','',0);
CREATE TABLE "meta" (
   "key" TEXT PRIMARY KEY,
   "value" TEXT
);
INSERT INTO "meta" VALUES('fingerprint','0.1.0');
CREATE TABLE "refs" (
   "id" INTEGER PRIMARY KEY,
   "file_id" INTEGER REFERENCES "files"("id"),
   "name" TEXT,
   "n" INTEGER,
   "line" INTEGER
);
INSERT INTO "refs" VALUES(1,1,'g',1,1);
CREATE TABLE "symbols" (
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
);
INSERT INTO "symbols" VALUES(1,1,'f','function','f','def f()','',0,9,4,5,0,'');
CREATE TABLE "workspaces" (
   "id" INTEGER PRIMARY KEY,
   "root" TEXT NOT NULL
);
INSERT INTO "workspaces" VALUES(1,'/old');
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
COMMIT;
pragma user_version = 1;
