/**
 * A typical self-written service: express, multer to disk, app-info-parser, JSON. No hash, no fsync, no database.
 * `node bench/express-sink.mjs FOLDER PORT`; a file is removed after its response.
 */
import { rename, rm } from 'node:fs/promises';
import AppInfoParser from 'app-info-parser';
import express from 'express';
import multer from 'multer';

const [folder, port] = process.argv.slice(2);
const app = express();
app.get('/', (_request, response) => response.send('ok'));
app.post('/', multer({ dest: folder }).single('file'), async (request, response) => {
  // The parser relies on the file extension.
  const path = `${request.file.path}.apk`;
  await rename(request.file.path, path);
  try {
    const { package: name, versionName } = await new AppInfoParser(path).parse();
    response.json({ error: false, results: { name, versionName } });
  } catch (error) {
    response.status(500).json({ error: true, message: String(error) });
  } finally {
    await rm(path, { force: true });
  }
});
app.listen(Number(port), '127.0.0.1');
