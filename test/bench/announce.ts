import type { Server } from 'node:http';

/** Listens on a free port and says so as the product does. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    process.stdout.write(`${JSON.stringify({ event: 'server_ready', url: `http://127.0.0.1:${port}` })}\n`);
  });
  // An exit of its own, so that Node saves the compile cache as it does for the product.
  process.once('SIGTERM', () => process.exit());
}
