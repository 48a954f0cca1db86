/**
 * Makes a WebAssembly module ask for the time in every loop. QuickJS asks only between the instructions of a script; what it
 * does within one, such as looking through a list that says it has 2^53 items, can take hours and cannot be stopped from
 * outside. So each turn of each loop of the module counts, and so does memory that is copied or filled at once; when the
 * count is full, the next loop calls the import by which the module reads the clock: whoever provides that import can throw,
 * and the module is left where it is.
 *
 * Binary format: https://webassembly.github.io/spec/core/binary/index.html
 */

/** How many turns loops take between two looks at the clock: well below a millisecond. */
const TURNS = 20_000;
/** Copying or filling 2 to the power of so many bytes counts as a turn. */
const TURN_BYTES = 8;

const SECTION = { type: 1, import: 2, global: 6, code: 10 } as const;
const I32 = 0x7f;
const F64 = 0x7c;

/**
 * `binary` with the counter in each loop. Throws a `TypeError` for a module that it does not understand whole, or that
 * does not import its clock as one function without parameters that gives an f64.
 */
export function metered(binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(binary);
  const header = reader.bytes(8);
  const sections: { readonly id: number; readonly body: Uint8Array }[] = [];
  while (!reader.isAtEnd) {
    const id = reader.byte();
    sections.push({ id, body: reader.bytes(reader.u32()) });
  }
  const bodyOf = (id: number): Uint8Array => {
    const section = sections.find((one) => one.id === id);
    if (section === undefined) throw new TypeError(`The module has no section ${id}.`);
    return section.body;
  };
  const imported = clockOf(bodyOf(SECTION.import), clockTypes(bodyOf(SECTION.type)));
  const globals = new Reader(bodyOf(SECTION.global));
  const defined = globals.u32();
  const counter = imported.globals + defined;
  const checks: Checks = { turn: turnOf(counter, imported.clock), bulk: bulkOf(counter, counter + 1) };

  const out = new Writer();
  out.bytes(header);
  for (const { id, body } of sections) {
    out.byte(id);
    if (id === SECTION.global) out.sized(withCounter(globals.rest(), defined));
    else if (id === SECTION.code) out.sized(withChecks(body, checks));
    else out.sized(body);
  }
  return out.done();
}

/** Which types are of functions that take nothing and give one f64. */
function clockTypes(section: Uint8Array): ReadonlySet<number> {
  const reader = new Reader(section);
  const found = new Set<number>();
  const count = reader.u32();
  for (let index = 0; index < count; index++) {
    if (reader.byte() !== 0x60) throw new TypeError('A type is not that of a function.');
    const takes = reader.bytes(reader.u32());
    const gives = reader.bytes(reader.u32());
    if (takes.length === 0 && gives.length === 1 && gives[0] === F64) found.add(index);
  }
  return found;
}

/** The index of the imported clock among all functions, and how many globals are imported. */
function clockOf(
  section: Uint8Array,
  types: ReadonlySet<number>,
): { readonly clock: number; readonly globals: number } {
  const reader = new Reader(section);
  const clocks: number[] = [];
  let functions = 0;
  let globals = 0;
  for (let left = reader.u32(); left > 0; left--) {
    reader.bytes(reader.u32());
    reader.bytes(reader.u32());
    switch (reader.byte()) {
      case 0:
        if (types.has(reader.u32())) clocks.push(functions);
        functions += 1;
        break;
      case 1:
        reader.byte();
        reader.limits();
        break;
      case 2:
        reader.limits();
        break;
      case 3:
        reader.bytes(2);
        globals += 1;
        break;
      default:
        throw new TypeError('The module imports something of an unknown kind.');
    }
  }
  const [clock] = clocks;
  if (clock === undefined || clocks.length > 1)
    throw new TypeError(`The module imports ${clocks.length} clocks.`);
  return { clock, globals };
}

/** What is put after the head of each loop, and before each instruction that copies or fills memory. */
interface Checks {
  readonly turn: Uint8Array;
  readonly bulk: Uint8Array;
}

const GET = 0x23;
const SET = 0x24;
const CONST = 0x41;
const SUBTRACT = 0x6b;

/** Counts `$turns` down by one; when they are used up, sets them anew and calls `$clock`. */
function turnOf(counter: number, clock: number): Uint8Array {
  const out = new Writer();
  out.ops([GET, counter], [CONST, 1], [SUBTRACT], [SET, counter]);
  out.ops([GET, counter], [CONST, 1], [0x48]); // i32.lt_s
  out.ops([0x04, 0x40]); // if
  turns(out);
  out.ops([SET, counter], [0x10, clock], [0x1a]); // call, drop
  out.ops([0x0b]); // end
  return out.done();
}

/** Takes off `$turns` what the bytes count whose number is on the stack, and leaves that there. */
function bulkOf(counter: number, length: number): Uint8Array {
  const out = new Writer();
  out.ops([SET, length]);
  out.ops([GET, counter], [GET, length], [CONST, TURN_BYTES], [0x76], [SUBTRACT], [SET, counter]); // i32.shr_u
  out.ops([GET, length]);
  return out.done();
}

/** The two globals more that the checks use: the turns left, and a number of bytes. */
function withCounter(defined: Uint8Array, count: number): Uint8Array {
  const out = new Writer();
  out.u32(count + 2);
  out.bytes(defined);
  out.bytes([I32, 1]); // mutable
  turns(out);
  out.bytes([0x0b, I32, 1, CONST, 0, 0x0b]);
  return out.done();
}

/** `i32.const TURNS`; signed, so its top bit is kept clear by one byte more than it needs. */
function turns(out: Writer): void {
  out.bytes([0x41, (TURNS & 0x7f) | 0x80, ((TURNS >> 7) & 0x7f) | 0x80, (TURNS >> 14) & 0x3f]);
}

function withChecks(section: Uint8Array, checks: Checks): Uint8Array {
  const reader = new Reader(section);
  const out = new Writer();
  const count = reader.u32();
  out.u32(count);
  for (let index = 0; index < count; index++) {
    const body = reader.bytes(reader.u32());
    out.sized(functionWithChecks(body, checks));
  }
  return out.done();
}

function functionWithChecks(body: Uint8Array, { turn, bulk }: Checks): Uint8Array {
  const reader = new Reader(body);
  for (let groups = reader.u32(); groups > 0; groups--) {
    reader.u32();
    reader.byte();
  }
  const out = new Writer();
  let copied = 0;
  while (!reader.isAtEnd) {
    const from = reader.at;
    const code = reader.byte();
    const isBulk = reader.immediates(code);
    if (code !== LOOP && !isBulk) continue;
    const at = isBulk ? from : reader.at;
    out.bytes(body.subarray(copied, at));
    out.bytes(isBulk ? bulk : turn);
    copied = at;
  }
  out.bytes(body.subarray(copied));
  return out.done();
}

const LOOP = 0x03;

class Reader {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new TypeError('The module ends too soon.');
    this.at += 1;
    return byte;
  }

  bytes(count: number): Uint8Array {
    if (this.at + count > this.#bytes.length) throw new TypeError('The module ends too soon.');
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.at);
  }

  u32(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new TypeError('A number in the module is too long.');
  }

  limits(): void {
    const hasMost = (this.byte() & 1) === 1;
    this.u32();
    if (hasMost) this.u32();
  }

  /** Passes over a number of any length, signed or not. */
  #leb(): void {
    while (this.byte() >= 0x80);
  }

  /** Passes over what follows the instruction `code`, and answers whether it copies or fills memory. */
  immediates(code: number): boolean {
    if (code === 0xfc) return this.#extended();
    if (code === 0x02 || code === LOOP || code === 0x04) this.#leb();
    else if (code === 0x0e) for (let left = this.u32() + 1; left > 0; left--) this.u32();
    else if (code === 0x11) {
      this.u32();
      this.u32();
    } else if (code === 0x1c) this.bytes(this.u32());
    else if (code >= 0x28 && code <= 0x3e) {
      this.u32();
      this.#leb();
    } else if (code === 0x43) this.bytes(4);
    else if (code === 0x44) this.bytes(8);
    else if (ONE_NUMBER.has(code)) this.#leb();
    else if (!isPlain(code)) throw new TypeError(`Unknown instruction 0x${code.toString(16)}.`);
    return false;
  }

  #extended(): boolean {
    const code = this.u32();
    if (code <= 7) return false; // saturating truncations
    if (code > 17) throw new TypeError(`Unknown instruction 0xfc ${code}.`);
    this.u32();
    if (code === 8 || code === 10 || code === 12 || code === 14) this.u32();
    return code === 10 || code === 11;
  }
}

/** br, br_if, call, the local, global and table ones, memory.size and .grow, i32.const, i64.const, ref.null and ref.func. */
const ONE_NUMBER: ReadonlySet<number> = new Set([
  ...[0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26],
  ...[0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2],
]);

/** Whether nothing follows: unreachable, nop, else, end, return, drop, select, and all that computes. */
function isPlain(code: number): boolean {
  return (code >= 0x45 && code <= 0xc4) || [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(code);
}

class Writer {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  bytes(bytes: Uint8Array | readonly number[]): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  u32(value: number): void {
    for (; value >= 0x80; value = Math.floor(value / 128)) this.byte((value % 128) + 128);
    this.byte(value);
  }

  /** Instructions with their numbers. */
  ops(...list: readonly (readonly [code: number, immediate?: number])[]): void {
    for (const [code, immediate] of list) {
      this.byte(code);
      if (immediate !== undefined) this.u32(immediate);
    }
  }

  /** `bytes` after their length. */
  sized(bytes: Uint8Array): void {
    this.u32(bytes.length);
    this.bytes(bytes);
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
