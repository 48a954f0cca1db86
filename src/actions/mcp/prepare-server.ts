/** Where tools are asked: the templates of a server filled in, and what no browser would send refused. */
import type { AskedServer, Failure } from '../../domain/index.ts';
import { whyHeaderIsKept } from '../../domain/index.ts';
import { whyValueIsRefused } from '../http.ts';
import type { Prepared } from '../prompt-request.ts';
import type { RunSecrets } from '../run-secrets.ts';
import { readTarget } from '../target.ts';
import { fillTemplate } from '../template.ts';
import type { TemplateScope } from '../template-scope.ts';

/** A server of tools that can be asked. */
export interface ReadyServer {
  readonly url: URL;
  /** Never shown, stored or told. */
  readonly headers: Readonly<Record<string, string>>;
  /** What its templates named: bound to this server, whatever the rest of the run uses. */
  readonly secrets: RunSecrets | undefined;
}

/** Fills the templates of `server` in. `field` of a refusal is below the server. */
export async function prepareServer(
  server: AskedServer,
  scope: TemplateScope,
): Promise<Prepared<ReadyServer>> {
  const secrets = scope.secrets?.apart();
  const own: TemplateScope = { ...scope, ...(secrets === undefined ? {} : { secrets }) };
  const address = await fillTemplate(server.url, 'The address of the tools', own);
  if (address.kind === 'failed') return refused(['url'], address.failure);
  const target = readTarget(address.text);
  if (target.kind === 'refused') return refused(['url'], target.failure);
  const headers: [string, string][] = [];
  for (const [name, template] of Object.entries(server.headers)) {
    const value = await fillTemplate(template, `The header ${name}`, own);
    if (value.kind === 'failed') return refused(['headers', name], value.failure);
    const reason = whyHeaderIsKept(name, value.text) ?? whyValueIsRefused(name, value.text);
    if (reason !== null)
      return refused(['headers', name], { class: 'invalid', code: 'bad-header', message: reason });
    headers.push([name, value.text]);
  }
  const unbound = secrets?.whyNotTo(target.url) ?? null;
  if (unbound !== null) return refused(['url'], unbound);
  return { kind: 'ready', ready: { url: target.url, headers: Object.fromEntries(headers), secrets } };
}

function refused(field: readonly string[], failure: Failure): Prepared<never> {
  return { kind: 'refused', field, failure };
}
