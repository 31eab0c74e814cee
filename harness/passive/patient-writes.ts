/**
 * Keeps a socket readable when writing to it fails. A server that refuses an upload answers and closes while the client
 * is still sending: the write that fails must not throw away the answer that is waiting to be read.
 */

import type { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/** From here on failed writes are forgotten, and it is reading that tells how the connection ended. */
export function patientWrites(socket: Socket): void {
  let isDeaf = false;
  const patient =
    (done: Written): Written =>
    (error) => {
      // Once there is nothing more to read, nobody else would tell.
      if (error === undefined || error === null || socket.readableEnded) {
        done(error);
        return;
      }
      isDeaf = true;
      done();
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk: unknown, encoding, done) => {
    if (isDeaf && !socket.readableEnded) done();
    else write(chunk, encoding, patient(done));
  };
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (chunks, done) => {
    if (isDeaf && !socket.readableEnded) done();
    else writev(chunks, patient(done));
  };
}
