/** How a body that came from somewhere else is shown: as text, indented when it is JSON, and never as markup. */

/** A body ready to be shown. */
export interface ShownBody {
  readonly text: string;
  /** Whether `text` is the body with other white space. */
  readonly indented: boolean;
}

/**
 * `body` as people read it. JSON is indented without being read and written again: numbers keep all their digits, and
 * keys that are there twice stay.
 */
export function shownBody(body: string, contentType: string): ShownBody {
  if (!looksLikeJson(body, contentType)) return { text: body, indented: false };
  try {
    JSON.parse(body);
  } catch {
    return { text: body, indented: false };
  }
  return { text: indent(body), indented: true };
}

/** The first `lines` lines of `text`, and not more than `characters` of them; cut at a line's end where there is one. */
export function headOf(text: string, lines: number, characters: number): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf('\n', end + 1);
    if (next === -1) {
      end = text.length;
      break;
    }
    end = next;
  }
  const cut = Math.min(end, characters);
  // Half of a surrogate pair is no character.
  const whole = /[\uD800-\uDBFF]/.test(text.charAt(cut - 1)) ? cut - 1 : cut;
  return text.slice(0, whole);
}

function looksLikeJson(body: string, contentType: string): boolean {
  return /[/+]json\b/i.test(contentType) || /^\s*[[{]/.test(body);
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

function indent(json: string): string {
  let depth = 0;
  let before = '';
  const parts: string[] = [];
  const newLine = (): void => {
    parts.push('\n', '  '.repeat(depth));
  };
  for (const [token] of json.matchAll(TOKENS)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    // An empty object or array stays in one piece.
    if (closes ? before !== '{' && before !== '[' : before === '{' || before === '[' || before === ',')
      newLine();
    if (token === '{' || token === '[') depth += 1;
    parts.push(token === ':' ? ': ' : token);
    before = token;
  }
  return parts.join('');
}
