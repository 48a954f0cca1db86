/**
 * A curl command as a request, as browsers' developer tools and the documents of APIs give it. What a page cannot send, or
 * must not decide, is left out and named.
 */
import { HTTP_METHODS, type HttpMethod, whyHeaderIsKept } from '../../domain/index.ts';

/** What a command says that Rota can send, and what was left out of it. */
export interface CurlRequest {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  /** Each with its reason, as the end of a sentence: `--insecure (browsers always check certificates)`. */
  readonly leftOut: readonly string[];
}

export type ReadCurl =
  | { readonly kind: 'request'; readonly request: CurlRequest }
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether `text` looks like a curl command. */
export function isCurl(text: string): boolean {
  return /^\s*(?:\$\s+)?curl(?:\.exe)?\s/.test(text);
}

/** Reads a command for a POSIX shell. */
export function readCurl(text: string): ReadCurl {
  const words = wordsOf(text.replace(/^\s*(?:\$\s+)?/, ''));
  if (words === null) return { kind: 'refused', reason: 'A quote in the command is not closed.' };
  const read = new Reading();
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '|' || word === ';' || word === '&&' || word === '>') break;
    const { name, value } = splitOption(word);
    if (name === null) {
      read.address(word);
    } else if (TAKES_VALUE.has(name)) {
      read.option(name, value ?? words[++at] ?? '');
    } else {
      read.flag(name);
    }
  }
  return read.result();
}

const SHORT: Readonly<Record<string, string>> = {
  X: '--request',
  H: '--header',
  d: '--data',
  u: '--user',
  A: '--user-agent',
  e: '--referer',
  b: '--cookie',
  F: '--form',
  G: '--get',
  I: '--head',
  o: '--output',
  m: '--max-time',
  x: '--proxy',
  T: '--upload-file',
  k: '--insecure',
  L: '--location',
};

const DATA = new Set(['--data', '--data-raw', '--data-ascii', '--data-binary', '--json', '--data-urlencode']);
const TAKES_VALUE: ReadonlySet<string> = new Set([
  ...DATA,
  ...['--request', '--header', '--user', '--user-agent', '--referer', '--cookie', '--cookie-jar', '--form'],
  ...['--output', '--max-time', '--connect-timeout', '--proxy', '--upload-file', '--url', '--cert', '--key'],
  ...['--cacert', '--resolve', '--retry', '--write-out', '--oauth2-bearer', '--max-redirs', '--interface'],
]);

/** Of these nothing is missed: they change how curl shows what it gets, or ask for what browsers always do. */
const SAID_ANYWAY = new Set([
  ...[
    '--silent',
    '--show-error',
    '--verbose',
    '--include',
    '--location',
    '--compressed',
    '--http1.1',
    '--http2',
  ],
  ...[
    '-s',
    '-S',
    '-v',
    '-i',
    '--no-buffer',
    '-N',
    '--progress-bar',
    '--globoff',
    '-g',
    '--output',
    '--write-out',
  ],
]);

const WHY_LEFT_OUT: Readonly<Record<string, string>> = {
  '--insecure': 'browsers always check certificates',
  '--cookie': 'requests are sent without cookies',
  '--user-agent': 'the browser says which it is',
  '--referer': 'requests are sent without a referrer',
  '--proxy': 'the browser has its own proxy',
  '--form': 'forms with files cannot be sent',
  '--upload-file': 'files cannot be sent',
  '--max-time': 'the timeout stands under Limits',
  '--fail': 'an unexpected status is a failure anyway',
};

class Reading {
  #method: string | null = null;
  #url: string | null = null;
  readonly #headers: { name: string; value: string }[] = [];
  readonly #data: string[] = [];
  readonly #leftOut: string[] = [];
  #isGet = false;

  address(word: string): void {
    if (this.#url === null) this.#url = /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? word : `http://${word}`;
    else this.#leave(word, 'one address is asked at a time');
  }

  flag(name: string): void {
    if (name === '--get') this.#isGet = true;
    else if (name === '--head') this.#method ??= 'HEAD';
    else if (!SAID_ANYWAY.has(name)) this.#leave(name, WHY_LEFT_OUT[name] ?? 'it is not known here');
  }

  option(name: string, value: string): void {
    if (DATA.has(name)) {
      this.#addData(name, value);
      return;
    }
    switch (name) {
      case '--request':
        this.#method = value.toUpperCase();
        return;
      case '--url':
        this.address(value);
        return;
      case '--header':
        this.#addHeader(value);
        return;
      case '--user':
        this.#addHeader(`Authorization: Basic ${base64(value)}`);
        return;
      case '--oauth2-bearer':
        this.#addHeader(`Authorization: Bearer ${value}`);
        return;
      default:
        if (!SAID_ANYWAY.has(name)) this.#leave(name, WHY_LEFT_OUT[name] ?? 'it has no place in a page');
    }
  }

  result(): ReadCurl {
    if (this.#url === null) return { kind: 'refused', reason: 'The command names no address.' };
    const data = this.#data.join('&');
    const asked = this.#method ?? (data !== '' && !this.#isGet ? 'POST' : 'GET');
    const method = HTTP_METHODS.find((one) => one === asked);
    if (method === undefined) {
      return { kind: 'refused', reason: `Browsers send no ${asked}; they send ${HTTP_METHODS.join(', ')}.` };
    }
    const takesBody = method !== 'GET' && method !== 'HEAD';
    // curl says so of data by itself, and browsers would call it plain text.
    if (
      data !== '' &&
      takesBody &&
      !this.#headers.some(({ name }) => name.toLowerCase() === 'content-type')
    ) {
      this.#headers.push({ name: 'Content-Type', value: 'application/x-www-form-urlencoded' });
    }
    const inAddress = data !== '' && (this.#isGet || method === 'HEAD');
    if (data !== '' && !takesBody && !inAddress) this.#leave('the body', `browsers send none with ${method}`);
    const url = inAddress ? `${this.#url}${this.#url.includes('?') ? '&' : '?'}${data}` : this.#url;
    return {
      kind: 'request',
      request: {
        method,
        url,
        headers: this.#headers,
        body: takesBody ? data : '',
        leftOut: this.#leftOut,
      },
    };
  }

  #addData(name: string, value: string): void {
    if (value.startsWith('@') && name !== '--data-raw') {
      this.#leave(value, 'files of yours cannot be read');
      return;
    }
    if (name === '--json') {
      this.#addHeader('Content-Type: application/json');
      this.#addHeader('Accept: application/json');
    }
    if (name === '--data-urlencode') {
      const equals = value.indexOf('=');
      const key = equals > 0 ? value.slice(0, equals + 1) : '';
      this.#data.push(key + encodeURIComponent(value.slice(equals + 1)));
      return;
    }
    this.#data.push(value);
  }

  #addHeader(text: string): void {
    const colon = text.indexOf(':');
    const name = (colon === -1 ? text.replace(/;$/, '') : text.slice(0, colon)).trim();
    const value = colon === -1 ? '' : text.slice(colon + 1).trim();
    const why = whyHeaderIsKept(name, value);
    if (why !== null) {
      this.#leave(`the header ${name}`, 'the browser sets it');
      return;
    }
    const twin = this.#headers.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (twin !== undefined) twin.value = twin.value === value ? value : `${twin.value}, ${value}`;
    else this.#headers.push({ name, value });
  }

  #leave(what: string, why: string): void {
    this.#leftOut.push(`${what} (${why})`);
  }
}

/** `-XPOST`, `--request=POST` and `-X POST` are the same; `-sSL` is three flags, of which the last that matters is kept. */
function splitOption(word: string): { readonly name: string | null; readonly value?: string } {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    return equals === -1 ? { name: word } : { name: word.slice(0, equals), value: word.slice(equals + 1) };
  }
  if (!/^-[A-Za-z]/.test(word)) return { name: null };
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    const name = SHORT[letter] ?? `-${letter}`;
    const rest = word.slice(at + 1);
    if (TAKES_VALUE.has(name)) return rest === '' ? { name } : { name, value: rest };
    if (rest === '' || !SAID_ANYWAY.has(name)) return { name };
  }
  return { name: word };
}

/** The words of `text` as a POSIX shell takes it apart, `$'…'` among them; `null` when a quote is not closed. */
function wordsOf(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  const part =
    /\\\r?\n|\\([\s\S])|'([^']*)'|\$'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|(\s+)|(['"])|([^\s'"\\$]+|\$)/gy;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    const [whole, escaped, single, ansi, double, space, open, plain] = match;
    if (open !== undefined) return null;
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else if (escaped !== undefined || !whole.startsWith('\\')) {
      word = (word ?? '') + (escaped ?? single ?? unescaped(ansi) ?? inDouble(double) ?? plain ?? '');
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function inDouble(text: string | undefined): string | undefined {
  return text?.replace(/\\\r?\n/g, '').replace(/\\([\\"$`])/g, '$1');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };

function unescaped(text: string | undefined): string | undefined {
  return text?.replace(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([\s\S]))/gi,
    (_, hex: string | undefined, unicode: string | undefined, letter: string | undefined) =>
      letter === undefined
        ? String.fromCharCode(Number.parseInt(hex ?? unicode ?? '', 16))
        : (ESCAPES[letter] ?? letter),
  );
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
