/**
 * What is run in the sandbox before a script, and makes what the script is allowed. It is part of the sandbox: whatever the
 * script does to it, only text passes between the two, and the other side checks all of it.
 *
 * The functions given are called as `host(what, id, name, text)`.
 */
export const PRELUDE = String.raw`(function (host, allowed, previousText, stepsText, most) {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply, ownKeys } = Reflect;
  const { freeze, defineProperty } = Object;
  const { then } = Promise.prototype;
  const TextOf = String, Failed = Error;
  const waiting = { __proto__: null };
  let last = 0;

  const define = (name, value) => defineProperty(globalThis, name, { value, writable: false, configurable: false });
  const refuse = (name) => {
    throw new Failed('This script is not allowed "' + name + '".');
  };
  const written = (value, what) => {
    const text = stringify(value);
    if (typeof text !== 'string') throw new TypeError(what + ' cannot be written as JSON.');
    if (text.length > most) throw new RangeError(what + ' is longer than ' + most + ' characters.');
    return text;
  };
  const tell = (name, value) => host('tell', 0, name, written(value, 'What ' + name + ' is given'));
  const ask = (name, value) =>
    new Promise((resolve, reject) => {
      const text = written(value, 'What ' + name + ' is given');
      last += 1;
      waiting[last] = { resolve, reject };
      host('ask', last, name, text);
    });
  const may = (capability, make) => (allowed[capability] === true ? make : (name) => () => refuse(capability));

  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Failed) return TextOf(value.name) + ': ' + TextOf(value.message);
    try {
      const text = stringify(value);
      return typeof text === 'string' ? text : TextOf(value);
    } catch {
      return TextOf(value);
    }
  };
  const log = may('log', () => (...values) => {
    let line = '';
    for (let index = 0; index < values.length; index += 1) line += (index === 0 ? '' : ' ') + shown(values[index]);
    tell('log', line);
  })('log');
  define('log', log);
  define('console', freeze({ log, debug: log, info: log, warn: log, error: log }));
  if (allowed.previous === true) define('previous', previousText === null ? undefined : parse(previousText));
  else defineProperty(globalThis, 'previous', { get: () => refuse('previous'), configurable: false });
  if (stepsText !== null) {
    const steps = parse(stepsText);
    for (const number of ownKeys(steps)) {
      const { whole, ...step } = steps[number];
      // Read when it is asked for, and once: most scripts look at few of them.
      let read = null;
      defineProperty(step, 'json', {
        enumerable: true,
        get: () => {
          if (read === null) {
            read = { value: undefined };
            try {
              if (whole) read.value = parse(step.output);
            } catch {
              // It is no JSON.
            }
          }
          return read.value;
        },
      });
      steps[number] = freeze(step);
    }
    define('steps', freeze(steps));
  }
  define('notify', may('notify', () => (title, body) => {
    tell('notify', body === undefined ? { body: TextOf(title) } : { title: TextOf(title), body: TextOf(body) });
  })('notify'));
  define('remember', may('remember', () => (key, value) => {
    tell('remember', { key: TextOf(key), value: value === undefined ? null : value });
  })('remember'));
  define('recall', may('remember', () => (key) => ask('recall', TextOf(key)))('recall'));
  define('fetch', may('fetch', () => async (url, options) => {
    const { method = 'GET', headers = {}, body } = options === undefined ? {} : options;
    const fields = { __proto__: null };
    for (const name of ownKeys(headers)) if (typeof name === 'string') fields[name] = TextOf(headers[name]);
    const answer = await ask('fetch', {
      url: TextOf(url),
      method: TextOf(method),
      headers: fields,
      body: body === undefined || body === null ? null : typeof body === 'string' ? body : stringify(body),
    });
    const { text } = answer;
    return freeze({
      ok: answer.status >= 200 && answer.status <= 299,
      status: answer.status,
      statusText: answer.statusText,
      url: answer.url,
      headers: freeze({ ...answer.headers, get: (name) => answer.headers[TextOf(name).toLowerCase()] ?? null }),
      truncated: answer.truncated,
      text: async () => {
        if (text === null) throw new TypeError('The answer is not text.');
        return text;
      },
      json: async () => {
        if (text === null) throw new TypeError('The answer is not text.');
        if (answer.truncated) throw new TypeError('The answer was cut, so it is not JSON any more.');
        return parse(text);
      },
    });
  })('fetch'));

  const failed = (error) => {
    const told = { name: 'Error', message: '', stack: '' };
    try {
      if (typeof error === 'object' && error !== null) {
        for (const name of ['name', 'message', 'stack']) {
          const value = error[name];
          if (typeof value === 'string') told[name] = value.slice(0, 4000);
        }
      } else {
        told.name = '';
        told.message = TextOf(error).slice(0, 4000);
      }
    } catch {
      told.message = 'What was thrown cannot be read.';
    }
    host('threw', 0, '', stringify(told));
  };
  return {
    settle(id, kind, text) {
      const { resolve, reject } = waiting[id];
      delete waiting[id];
      if (kind === 'answer') resolve(parse(text));
      else reject(new Failed(text));
    },
    start(script) {
      const returned = (value) => {
        let text = '';
        if (value !== undefined) {
          try {
            text = written(value, 'The returned value');
          } catch (error) {
            return failed(error);
          }
        }
        host('returned', 0, '', text);
      };
      apply(then, script(), [returned, failed]);
    },
  };
})`;
