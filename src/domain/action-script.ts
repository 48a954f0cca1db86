import * as v from 'valibot';
import { boundedText, wholeNumber } from './problem.ts';

/** What a script may be allowed. Nothing else of Rota or the browser can be reached from it. */
export const SCRIPT_CAPABILITIES = ['log', 'previous', 'remember', 'notify', 'fetch'] as const;
export type ScriptCapability = (typeof SCRIPT_CAPABILITIES)[number];

/** How long a script may compute, waiting not counted, where it does not say. */
export const SCRIPT_COMPUTES_MS = 10_000;
/** What a script may that does not say. */
const ALLOWED_DEFAULT: readonly ScriptCapability[] = ['log'];

/** An origin and nothing after it but a slash. */
const ORIGIN = /^https?:\/\/[^\s/?#@\\]+\/?$/i;

const scriptFields = v.strictObject({
  kind: v.literal('script'),
  /** The body of an async function: `await` and `return` work at its top. */
  source: v.pipe(
    boundedText('The script', 100_000),
    v.check((text) => text.trim() !== '', 'Enter the script.'),
  ),
  allow: v.exactOptional(
    v.pipe(
      v.array(
        v.picklist(
          SCRIPT_CAPABILITIES,
          `A script may be allowed ${SCRIPT_CAPABILITIES.map((one) => `"${one}"`).join(', ')}.`,
        ),
        'What a script is allowed is a list, such as ["log", "fetch"].',
      ),
      v.check((list) => new Set(list).size === list.length, 'Each is listed once.'),
    ),
    [...ALLOWED_DEFAULT],
  ),
  /** Where it may send requests: scheme, host and port, such as `https://api.example.test`. */
  origins: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(
          boundedText('An origin', 300),
          v.trim(),
          v.regex(ORIGIN, 'An origin is a scheme and a host, such as https://api.example.test.'),
        ),
        'Origins are a list.',
      ),
      v.maxLength(50, 'At most 50 origins can be listed.'),
    ),
    [],
  ),
  computeMs: v.exactOptional(wholeNumber(50, 600_000, 'The computing time'), SCRIPT_COMPUTES_MS),
  /** The person says that running it again does no harm, whatever it sends. */
  repeatable: v.exactOptional(v.boolean('repeatable is true or false.'), false),
});

/** The schema of a script. */
export const scriptSchema = v.pipe(
  scriptFields,
  v.forward(
    v.partialCheck(
      [['allow'], ['origins']],
      ({ allow, origins }) => !allow.includes('fetch') || origins.length > 0,
      'List at least one origin that the script may send requests to.',
    ),
    ['origins'],
  ),
);

export type ScriptAction = v.InferOutput<typeof scriptSchema>;

/** Whether running it twice does no more than running it once: it can send nothing, or the person said so. */
export function isRepeatableScript({ allow, repeatable }: ScriptAction): boolean {
  return repeatable || !allow.includes('fetch');
}
