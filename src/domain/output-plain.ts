import type { ReceivedResponse, RequestTiming, SentRequest } from './output-http.ts';
import type { PromptOutput } from './output-prompt.ts';
import type { WatchOutput } from './output-watch.ts';
import type { ScriptOutput } from './output-script.ts';

/** What an action that does one thing brought back. */
export type PlainOutput =
  | {
      readonly kind: 'http';
      readonly request: SentRequest;
      readonly response?: ReceivedResponse;
      /** Something answered, and what it said cannot be read: all that a reachability check finds out. */
      readonly reached?: true;
      readonly timing: RequestTiming;
    }
  | PromptOutput
  | WatchOutput
  | { readonly kind: 'remind'; readonly message: string }
  | ScriptOutput;
