import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One request from a loopback address of one's own, so that it can be told from the proxy's. */
export function askFrom(localAddress: string, url: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    request(url, { localAddress, method, headers, agent: false }, (response) => {
      const { statusCode: status, headers } = response;
      text(response).then((body) => resolve({ status, headers, text: body }), reject);
    })
      .on('error', reject)
      .end(body);
  });
}
