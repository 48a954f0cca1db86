/**
 * Fills the database of a tab of Rota as if it had been used for years, within seconds: one automation is brought in and
 * run, and the rows that this has really written are put over and over, with other ids, names and instants. Its hosts are
 * told that anything may have changed.
 */

/**
 * What to fill in, a run each minute until now. `outputs` of the newest runs have what came back; it says which run it is
 * of, as `reading 17`. Every so many runs, by `failures`, one failed, and says which, as `It failed at reading 17.`
 * @typedef {{ readonly automations: number, readonly runs: number, readonly outputs?: number, readonly failures?: number }} Amount
 */

/**
 * @param {import('@playwright/test').Page} page a tab of Rota whose host answers
 * @param {Amount} amount
 * @returns {Promise<void>}
 */
export async function seed(page, amount) {
  await page.evaluate(fill, amount);
}

/**
 * Runs in the tab, so it is whole by itself.
 * @param {Amount} amount
 */
async function fill({ automations, runs, outputs = 0, failures = Infinity }) {
  const rota = Reflect.get(globalThis, 'rota');
  const definition = {
    name: 'Pattern',
    schedule: { kind: 'every', everyMs: 86_400_000, anchor: 0 },
    action: { kind: 'http', url: new URL('favicon.svg', Reflect.get(globalThis, 'location').href).href },
  };
  const text = JSON.stringify({ format: 'rota', version: 1, automations: [definition] });
  const [first] = (await rota.importFile({ text, enable: true })).ids;
  const { run } = await rota.runNow({ id: first });
  for (;;) {
    const { status } = await rota.getRun(run.id);
    if (status !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  /** @type {any} */
  const db = await new Promise((resolve, reject) => {
    const opening = Reflect.get(globalThis, 'indexedDB').open('rota');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(new Error(String(opening.error)));
  });
  /** @param {string} store @param {(store: any) => any} ask @returns {Promise<any>} */
  const read = (store, ask) =>
    new Promise((resolve, reject) => {
      const request = ask(db.transaction(store).objectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(String(request.error)));
    });
  const automation = await read('automations', (store) => store.get(first));
  const [pending] = await read('agenda', (store) => store.index('by-automation').getAll(first));
  const ran = await read('runs', (store) => store.get(run.id));
  const output = await read('outputs', (store) => store.get(run.id));

  /** @param {number} n @param {number} digits */
  const hex = (n, digits) => n.toString(16).padStart(digits, '0');
  /** @param {number} at @param {number} n */
  const idAt = (at, n) => {
    const time = hex(at, 12);
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(n, 12)}`;
  };
  const now = Date.now();
  const tags = ['home', 'ops', 'reading', 'work'];
  const names = ['Check', 'Watch', 'Fetch', 'Summarise', 'Remind me of', 'Compare'];
  const ids = Array.from({ length: automations }, (_, n) => idAt(now - 1_000_000 + n, n));

  /** @param {readonly string[]} stores @param {number} count @param {(tx: any, n: number) => void} put */
  const putMany = async (stores, count, put) => {
    for (let from = 0; from < count; from += 2_000) {
      const tx = db.transaction(stores, 'readwrite', { durability: 'relaxed' });
      for (let n = from; n < Math.min(count, from + 2_000); n++) put(tx, n);
      await new Promise((resolve, reject) => {
        tx.oncomplete = () => resolve(undefined);
        tx.onabort = () => reject(new Error(String(tx.error)));
      });
    }
  };
  await putMany(['automations', 'agenda'], automations, (tx, n) => {
    const id = ids[n];
    const enabled = n % 10 !== 9;
    const recent = Array.from({ length: 30 }, (_, at) => ({
      ...automation.recent[0],
      id: idAt(now - (30 - at) * 3_600_000, n),
      at: now - (30 - at) * 3_600_000,
    }));
    const name = `${names[n % names.length]} ${String(n).padStart(5, '0')}`;
    const row = { ...automation, id, name, tags: [tags[n % tags.length]], enabled, recent };
    tx.objectStore('automations').put(
      enabled ? { ...row, failuresInARow: n % 50 === 0 ? 2 : 0 } : { ...row, pausedFrom: now },
    );
    if (!enabled) return;
    const occurrence = pending.occurrence.replace(first, id);
    const key = pending.key.replace(first, id);
    tx.objectStore('agenda').put({ ...pending, key, occurrence, automationId: id });
  });
  const failed = {
    status: 'failed',
    reason: 'action',
    summary: 'It failed.',
    failure: { class: 'action', code: 'unexpected-status' },
  };
  await putMany(['runs', 'outputs'], runs, (tx, n) => {
    const at = now - (runs - n) * 60_000;
    const automationId = ids[n % Math.max(1, ids.length)] ?? first;
    tx.objectStore('runs').put({
      ...ran,
      id: idAt(at, n),
      automationId,
      automationName: `${names[(n % Math.max(1, automations)) % names.length]} ${String(n % Math.max(1, automations)).padStart(5, '0')}`,
      occurrence: `${automationId}@${at}`,
      cause: 'schedule',
      scheduledFor: at,
      claimedAt: at,
      startedAt: at,
      settledAt: at + 120,
      latenessMs: 0,
      ...(n % failures === failures - 1
        ? { ...failed, failure: { ...failed.failure, message: `It failed at reading ${n}.` } }
        : { summary: '200 OK, 412 B in 84 ms' }),
    });
    if (n < runs - outputs) return;
    const response = { ...output.output.response, text: `reading ${n}` };
    tx.objectStore('outputs').put({ ...output, id: idAt(at, n), output: { ...output.output, response } });
  });
  db.close();
  await rota.removeAutomation({ id: first });
  const channel = new (Reflect.get(globalThis, 'BroadcastChannel'))('rota');
  channel.postMessage({ topic: 'automations' });
  channel.postMessage({ topic: 'runs' });
  // What is posted goes out before the channel does.
  await new Promise((resolve) => setTimeout(resolve, 50));
  channel.close();
}
