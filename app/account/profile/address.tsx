/** An email address that, where it has to break, breaks before its domain first. */
export function Address({ email }: { email: string }) {
  const domainAt = email.lastIndexOf("@") + 1;
  return (
    <>
      {email.slice(0, domainAt)}
      <wbr />
      {email.slice(domainAt)}
    </>
  );
}
