import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { request } from 'undici';
import { serveBackend } from './backend.ts';

/** The URLs in a text, in order. */
const urls = (text: string): readonly string[] => text.match(/http:\/\/[\d.:]+/gu) ?? [];

describe('the backend command', () => {
  it('serves an engine on every address and tells where to steer it', async () => {
    const serving = await serveBackend({
      listen: ['127.0.0.1:0', '127.0.0.1:0'],
      control: '127.0.0.1:0',
    });
    try {
      const [first = '', second = '', control = ''] = urls(serving.announcement);
      expect(new Set([first, second, control]).size).toBe(3);
      expect(serving.announcement).toContain(`backend: { control: ${control} }`);
      for (const engine of [first, second]) {
        const answer = await request(`${engine}/v1/models`);
        expect(answer.statusCode).toBe(200);
        await answer.body.dump();
      }
      const steered = await request(control);
      expect(await steered.body.json()).toMatchObject({ listeners: [first, second] });
    } finally {
      await serving.close();
    }
  });

  it('asks callers of the control port for the token when there is one', async () => {
    const serving = await serveBackend({
      listen: ['127.0.0.1:0'],
      control: '127.0.0.1:0',
      token: 'secret-of-the-test',
    });
    try {
      const [, control = ''] = urls(serving.announcement);
      const answers = await Promise.all([
        request(control),
        request(control, { headers: { authorization: 'Bearer secret-of-the-test' } }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 200]);
      await Promise.all(answers.map(({ body }) => body.dump()));
      expect(serving.announcement).not.toContain('secret-of-the-test');
    } finally {
      await serving.close();
    }
  });

  it('says which address is taken, as a mistake of usage', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const bound = taken.address();
    const address = `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
    try {
      await expect(serveBackend({ listen: [address], control: '127.0.0.1:0' })).rejects.toThrow(
        expect.objectContaining({
          name: 'CommandFailure',
          exitCode: 2,
          message: expect.stringContaining(address),
        }),
      );
    } finally {
      taken.close();
    }
  });
});
