/**
 * Uploads large files from the browser in pieces and goes on after a break.
 */
const PIECE_BYTES = 5 * 1024 * 1024;
const PARALLEL = 3;
const TRIES_PER_PIECE = 5;
const RESUME_HOURS = 36; // the server forgets unfinished uploads after this
const STORAGE_KEY = 'lumen.uploads';

const ALLOWED = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'];
const MAX_BYTES = 400 * 1024 * 1024;

export class UploadError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function fingerprint(file) {
  return [file.name, file.size, file.lastModified].join('|');
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY)) || {};
  } catch {
    return {};
  }
}

function remember(file, uploadId) {
  const all = remembered();
  all[fingerprint(file)] = { uploadId, at: Date.now() };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(all));
}

function forget(file) {
  const all = remembered();
  delete all[fingerprint(file)];
  localStorage.setItem(STORAGE_KEY, JSON.stringify(all));
}

/** Picks up a former upload of the same file, or begins a new one. */
async function begin(file, api) {
  const former = remembered()[fingerprint(file)];
  if (former && Date.now() - former.at < RESUME_HOURS * 3600 * 1000) {
    const state = await api.state(former.uploadId);
    if (state) return { id: former.uploadId, have: new Set(state.pieces) };
  }
  const id = await api.create(file.name, file.size, file.type);
  remember(file, id);
  return { id, have: new Set() };
}

async function sendPiece(file, upload, index, api, signal) {
  const blob = file.slice(index * PIECE_BYTES, (index + 1) * PIECE_BYTES);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await api.put(upload.id, index, blob, { signal });
    } catch (problem) {
      if (signal.aborted || attempt >= TRIES_PER_PIECE) throw problem;
      await new Promise((done) => setTimeout(done, 700 * attempt));
    }
  }
}

/** onProgress gets a number from 0 to 1 after each finished piece. */
export async function uploadFile(file, api, { onProgress = () => {}, signal = new AbortController().signal } = {}) {
  if (!ALLOWED.includes(file.type)) throw new UploadError('type', 'kind of file is not allowed');
  if (file.size > MAX_BYTES) throw new UploadError('size', 'file is too large');
  const upload = await begin(file, api);
  const count = Math.ceil(file.size / PIECE_BYTES);
  const waiting = [...Array(count).keys()].filter((i) => !upload.have.has(i));
  let finished = count - waiting.length;
  const worker = async () => {
    while (waiting.length > 0) {
      const index = waiting.shift();
      await sendPiece(file, upload, index, api, signal);
      finished += 1;
      onProgress(finished / count);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const result = await api.finish(upload.id);
  forget(file);
  return result;
}
