import { type Verdict } from './history.ts';
/** Reads the two files and judges them. Rejects when one is not there or is no JSON. */
export declare function checkFiles(appFile: string, serverFile: string): Promise<Verdict>;
/** The verdict as text: what was judged, then each violation in a sentence. */
export declare function verdictText({ violations, unjudged, judged }: Verdict): string;
