-- safe: it holds up writing to the invoices for about a second for each million, which CONCURRENTLY before the upgrade spares
CREATE INDEX IF NOT EXISTS "stripe_invoices_number_index" ON "stripe_invoices" USING btree ("number");
