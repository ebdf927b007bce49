/**
 * A typical self-written service: express, multer to disk, app-info-parser, JSON. With `durable`, it syncs the file and its
 * folder and commits a row to SQLite before the response. No hash. `node bench/express-sink.mjs FOLDER PORT [durable]`; a file
 * is removed after its response.
 */
import { mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import AppInfoParser from 'app-info-parser';
import BetterSqlite from 'better-sqlite3';
import express from 'express';
import multer from 'multer';

const [folder, port, mode] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const insert = mode === 'durable' ? openBuilds() : null;
const app = express();
app.get('/', (_request, response) => response.send('ok'));
app.post('/', multer({ dest: folder }).single('file'), async (request, response) => {
  // The parser relies on the file extension.
  const path = `${request.file.path}.apk`;
  await rename(request.file.path, path);
  try {
    const { package: name, versionName } = await new AppInfoParser(path).parse();
    if (insert) {
      for (const synced of [path, folder]) await sync(synced);
      insert.run(name, versionName, path);
    }
    response.json({ error: false, results: { name, versionName } });
  } catch (error) {
    response.status(500).json({ error: true, message: String(error) });
  } finally {
    await rm(path, { force: true });
  }
});
app.listen(Number(port), '127.0.0.1');

function openBuilds() {
  const database = new BetterSqlite(`${folder}/builds.sqlite`);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('create table builds (id integer primary key, name text, version text, path text)');
  return database.prepare('insert into builds (name, version, path) values (?, ?, ?)');
}

async function sync(path) {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
}
