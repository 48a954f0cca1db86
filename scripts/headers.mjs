/**
 * Reads `_headers` files, the form in which Netlify and Cloudflare Pages take response headers: a path, then its headers
 * indented below. Only the part of the form that both hosts share is known; anything else is an error with its line.
 * https://docs.netlify.com/manage/routing/headers/ https://developers.cloudflare.com/pages/configuration/headers/
 */

/**
 * One path of the file with its headers, names in lower case.
 * @typedef {{ readonly path: string, readonly headers: readonly (readonly [name: string, value: string])[] }} HeaderRule
 */

/**
 * The rules of a `_headers` file in order.
 * @param {string} text
 * @returns {HeaderRule[]}
 * @throws {SyntaxError} on a line that is neither a path, a header below a path, a comment nor empty.
 */
export function parseHeaders(text) {
  /** @type {{ path: string, headers: [string, string][] }[]} */
  const rules = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const header = /^\s+([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line.trimEnd());
    const rule = rules.at(-1);
    if (/^\/\S*$/.test(line.trimEnd())) rules.push({ path: content, headers: [] });
    else if (header?.[1] !== undefined && header[2] !== undefined && rule !== undefined)
      rule.headers.push([header[1].toLowerCase(), header[2]]);
    else throw new SyntaxError(`_headers, line ${index + 1}: neither a path nor a header: ${content}`);
  }
  return rules;
}

/**
 * The headers of one path. All rules that match apply; a header given twice is sent once with both values, as hosts do.
 * @param {readonly HeaderRule[]} rules
 * @param {string} path from the root of the site, with a leading slash and no query.
 * @returns {Record<string, string>}
 */
export function headersFor(rules, path) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const rule of rules) {
    if (!matches(rule.path, path)) continue;
    for (const [name, value] of rule.headers) {
      const before = found.get(name);
      found.set(name, before === undefined ? value : `${before}, ${value}`);
    }
  }
  return Object.fromEntries(found);
}

/**
 * What a `<meta http-equiv="Content-Security-Policy">` may say of a policy: the directives that browsers refuse there
 * (https://html.spec.whatwg.org/#attr-meta-http-equiv-content-security-policy) are left out.
 * @param {string} policy
 */
export function metaPolicy(policy) {
  return policy
    .split(';')
    .map((directive) => directive.trim())
    .filter((directive) => !/^(frame-ancestors|report-uri|report-to|sandbox)(\s|$)/.test(directive))
    .join('; ');
}

/**
 * @param {string} pattern with `*` for any rest and `:name` for one segment.
 * @param {string} path
 */
function matches(pattern, path) {
  const source = pattern
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? '[^/]+'
        : segment.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*'),
    )
    .join('/');
  return new RegExp(`^${source}$`).test(path);
}
