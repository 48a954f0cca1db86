import type { RunOutput } from './output.ts';

/** What is the same as long as a result is: a short mark of what came back, without times and sizes. */
export function resultMark(output: RunOutput): string {
  return hashOf(JSON.stringify([essenceOf(output)]));
}

function essenceOf(output: RunOutput): unknown {
  switch (output.kind) {
    case 'http':
      return [output.response?.status, output.response?.text ?? output.response?.bytes];
    case 'prompt':
      return output.answer?.text;
    case 'watch':
      return output.finding?.kind === 'same' ? 'same' : [output.finding?.kind, output.timing.sentAt];
    case 'remind':
      return output.message;
    case 'script':
      return [output.value, output.log.map(({ text }) => text)];
    case 'steps':
      return output.steps.map((trace) => [trace.status, 'output' in trace ? essenceOf(trace.output) : null]);
  }
}

const FNV_PRIME = 16_777_619;
const FNV_BASIS = 2_166_136_261;

/** Two FNV-1a hashes of `text` with different beginnings, and its length: no secret, and the same by chance for nobody. */
function hashOf(text: string): string {
  const hash = (basis: number): string => {
    let value = basis;
    for (let index = 0; index < text.length; index++)
      value = Math.imul(value ^ text.charCodeAt(index), FNV_PRIME);
    return (value >>> 0).toString(36);
  };
  return [text.length.toString(36), hash(FNV_BASIS), hash(~FNV_BASIS)].join('.');
}
