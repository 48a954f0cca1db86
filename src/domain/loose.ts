/**
 * Rows outlive the code that wrote them. A definition from a person or a file is strict; the same definition in a
 * stored row may carry fields of a newer build, which this one must tolerate on reading and keep on saving.
 */
import * as v from 'valibot';

type Any = v.GenericSchema;

const part = (schema: Any, name: string): unknown => Reflect.get(schema, name);
const isSchema = (value: unknown): value is Any =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'schema';
const entriesOf = (schema: Any): Readonly<Record<string, Any>> =>
  part(schema, 'entries') as Record<string, Any>;
const optionsOf = (schema: Any): readonly Any[] => part(schema, 'options') as readonly Any[];

/** The schema that accepts what `schema` does and unknown fields besides, at every depth. Its output keeps them. */
export function loosen(schema: Any): Any {
  const pipe = part(schema, 'pipe');
  if (Array.isArray(pipe)) {
    // The first item of a pipe is the schema itself, as it was before it had a pipe.
    const [first, ...others] = pipe as [Any, ...v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>[]];
    return Reflect.apply(v.pipe, undefined, [loosen(first), ...others]) as Any;
  }
  switch (schema.type) {
    case 'strict_object': {
      const entries = Object.entries(entriesOf(schema)).map(([key, entry]) => [key, loosen(entry)]);
      return v.looseObject(Object.fromEntries(entries) as Record<string, Any>);
    }
    case 'variant':
      return v.variant(part(schema, 'key') as string, optionsOf(schema).map(loosen) as never);
    case 'array':
      return v.array(loosen(part(schema, 'item') as Any));
    case 'exact_optional': {
      const wrapped = part(schema, 'wrapped');
      return isSchema(wrapped) ? v.exactOptional(loosen(wrapped), part(schema, 'default') as never) : schema;
    }
    default:
      return schema;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * `next` with the fields of `stored` that `schema` does not know, at every depth where both are the same kind of
 * thing. So an older build's edit changes what it understands and loses nothing that it does not.
 */
export function carryUnknown<Value extends object>(schema: Any, stored: object, next: Value): Value {
  return carry(schema, stored, next) as Value;
}

/** What an optional field holds when it is there. */
function unwrapped(schema: Any): Any {
  const wrapped = schema.type === 'exact_optional' ? part(schema, 'wrapped') : null;
  return isSchema(wrapped) ? unwrapped(wrapped) : schema;
}

/** Of a list, what stood in an item is carried to the one that is the same but for that: places in a list have no names. */
function carryItems(item: Any, stored: readonly unknown[], next: readonly unknown[]): unknown {
  const left = [...stored];
  return next.map((one) => {
    const text = inOrder(one);
    const at = left.findIndex((candidate) => inOrder(strip(item, candidate)) === text);
    return at === -1 ? one : carry(item, left.splice(at, 1)[0], one);
  });
}

/** The JSON of `value`, the same whatever the order of its keys. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

function carry(optional: Any, stored: unknown, next: unknown): unknown {
  const schema = unwrapped(optional);
  if (schema.type === 'array' && Array.isArray(stored) && Array.isArray(next)) {
    return carryItems(part(schema, 'item') as Any, stored, next);
  }
  if (!isRecord(stored) || !isRecord(next)) return next;
  switch (schema.type) {
    case 'strict_object': {
      const entries = entriesOf(schema);
      const unknown = Object.entries(stored).filter(([key]) => !Object.hasOwn(entries, key));
      const known = Object.entries(next).map(([key, value]) => {
        const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
        return [key, entry === undefined ? value : carry(entry, stored[key], value)];
      });
      return Object.fromEntries([...unknown, ...known]);
    }
    case 'variant': {
      const key = part(schema, 'key') as string;
      const option = optionsOf(schema).find((candidate) => {
        const entry = entriesOf(candidate)[key];
        return entry !== undefined && part(entry, 'literal') === next[key];
      });
      return option === undefined || stored[key] !== next[key] ? next : carry(option, stored, next);
    }
    default:
      return next;
  }
}

/**
 * `value` without the fields that `schema` does not know, at every depth: what may go through a strict door again. The
 * store puts them back with {@link carryUnknown}.
 */
export function withoutUnknown<Value extends object>(schema: Any, value: Value): Value {
  return strip(schema, value) as Value;
}

function strip(optional: Any, value: unknown): unknown {
  const schema = unwrapped(optional);
  if (schema.type === 'array' && Array.isArray(value)) {
    return value.map((one) => strip(part(schema, 'item') as Any, one));
  }
  if (!isRecord(value)) return value;
  switch (schema.type) {
    case 'strict_object': {
      const entries = entriesOf(schema);
      const known = Object.entries(value).flatMap(([key, one]) => {
        const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
        return entry === undefined ? [] : [[key, strip(entry, one)]];
      });
      return Object.fromEntries(known);
    }
    case 'variant': {
      const key = part(schema, 'key') as string;
      const option = optionsOf(schema).find((candidate) => {
        const entry = entriesOf(candidate)[key];
        return entry !== undefined && part(entry, 'literal') === value[key];
      });
      return option === undefined ? value : strip(option, value);
    }
    default:
      return value;
  }
}
