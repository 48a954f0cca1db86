import { describe, expect, test } from 'vitest';
import { isCurl, readCurl } from './read-curl.ts';

const read = (command: string) => {
  const result = readCurl(command);
  if (result.kind === 'refused') throw new Error(result.reason);
  return result.request;
};

describe('a curl command', () => {
  test('as a browser copies it becomes the request, and says what was left out and why', () => {
    const command = `curl 'https://api.example.com/items?a=1' \\
  -X 'PUT' \\
  -H 'accept: application/json' \\
  -H 'content-type: application/json' \\
  -H 'cookie: session=abc' \\
  -H 'user-agent: Mozilla/5.0' \\
  -b 'session=abc' \\
  --data-raw $'{"text":"it\\'s\\n\\u00e9"}' \\
  --compressed --insecure`;
    expect(isCurl(command)).toBe(true);
    const { leftOut, ...request } = read(command);
    expect(request).toEqual({
      method: 'PUT',
      url: 'https://api.example.com/items?a=1',
      headers: [
        { name: 'accept', value: 'application/json' },
        { name: 'content-type', value: 'application/json' },
      ],
      body: '{"text":"it\'s\né"}',
    });
    expect(leftOut).toContain('the header cookie (the browser sets it)');
    expect(leftOut).toContain('--cookie (requests are sent without cookies)');
    expect(leftOut).toContain('--insecure (browsers always check certificates)');
    expect(leftOut.join()).not.toContain('compressed');
  });

  test.each([
    ['curl example.com', 'GET', 'http://example.com', ''],
    ['curl -I https://example.com/', 'HEAD', 'https://example.com/', ''],
    ['$ curl -sSLXDELETE https://example.com/a', 'DELETE', 'https://example.com/a', ''],
    ['curl https://example.com/ -d a=1 -d "b=\\"2\\""', 'POST', 'https://example.com/', 'a=1&b="2"'],
    [
      'curl -G https://example.com/?x=1 --data-urlencode "q=a b&c"',
      'GET',
      'https://example.com/?x=1&q=a%20b%26c',
      '',
    ],
    ['curl --json \'{"a":1}\' https://example.com/', 'POST', 'https://example.com/', '{"a":1}'],
    ['curl --request=PATCH --url=https://example.com/ -d x', 'PATCH', 'https://example.com/', 'x'],
    ['curl https://example.com/ | jq .', 'GET', 'https://example.com/', ''],
  ])('%s is %s %s', (command, method, url, body) => {
    expect(read(command)).toMatchObject({ method, url, body });
  });

  test('has the type that curl gives data by itself, and the header of its user', () => {
    expect(read('curl https://example.com/ -d a=1 -u me:päss').headers).toEqual([
      { name: 'Authorization', value: `Basic ${Buffer.from('me:päss').toString('base64')}` },
      { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
    ]);
  });

  test('leaves out files, forms and second addresses by name', () => {
    const { leftOut, body } = read(
      'curl https://a.example/ https://b.example/ -F f=@x.png -d @body.json --http3',
    );
    expect(body).toBe('');
    expect(leftOut).toEqual([
      'https://b.example/ (one address is asked at a time)',
      '--form (forms with files cannot be sent)',
      '@body.json (files of yours cannot be read)',
      '--http3 (it is not known here)',
    ]);
  });

  test.each([
    ["curl 'https://example.com/", /quote .* not closed/],
    ['curl -s', /names no address/],
    ['curl -X TRACE https://example.com/', /send no TRACE/],
  ])('%s is refused with the reason', (command, reason) => {
    expect(readCurl(command)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) as string });
  });

  test.each(['', 'https://example.com/curl x', 'curly braces'])('is not what %j is', (text) => {
    expect(isCurl(text)).toBe(false);
  });
});
