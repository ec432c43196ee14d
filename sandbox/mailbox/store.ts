import type { Pool } from "pg";
import type { SandboxSchema } from "../schema.ts";
import type { Mail } from "./read-mail.ts";

export const SCHEMA: SandboxSchema = {
  name: "sandbox_mail",
  version: 1,
  tables: `
-- Mail in the fields of /sandbox/mail.json. Its Message-ID is generated from it: one writer per fact.
CREATE TABLE sandbox_mail.messages (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mail jsonb NOT NULL,
  message_id text GENERATED ALWAYS AS (mail->>'messageId') STORED UNIQUE,
  received_at timestamptz NOT NULL DEFAULT now()
);
`,
};

export interface StoredMail extends Mail {
  id: number;
  receivedAt: Date;
}

/** Stores a mail. @returns false when there is one with its Message-ID already, which stays as it is */
export async function storeMail(pool: Pool, mail: Mail): Promise<boolean> {
  const { rowCount } = await pool.query(
    "INSERT INTO sandbox_mail.messages (mail) VALUES ($1) ON CONFLICT (message_id) DO NOTHING",
    [JSON.stringify(mail)],
  );
  return rowCount === 1;
}

/** All mail, newest first. */
export async function listMail(pool: Pool): Promise<StoredMail[]> {
  const { rows } = await pool.query<Row>(`${SELECT} ORDER BY id DESC`);
  return rows.map(toMail);
}

export async function findMail(pool: Pool, id: number): Promise<StoredMail | undefined> {
  const { rows } = await pool.query<Row>(`${SELECT} WHERE id = $1`, [id]);
  return rows.map(toMail)[0];
}

const SELECT = 'SELECT id, mail, received_at AS "receivedAt" FROM sandbox_mail.messages';

interface Row {
  id: number;
  mail: Mail;
  receivedAt: Date;
}

function toMail({ mail, ...row }: Row): StoredMail {
  return { ...row, ...mail };
}
