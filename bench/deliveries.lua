-- For wrk: posts each delivery of a file once. Four lines for each: the signature, and the payload that it signs.
local requests, at = {}, 0

function init(args)
  local headers = { ["Content-Type"] = "application/json; charset=utf-8" }
  local signature
  for line in io.lines(args[1]) do
    if signature then
      headers["Stripe-Signature"] = signature
      requests[#requests + 1] = wrk.format("POST", nil, headers, line)
      signature = nil
    else
      signature = line
    end
  end
end

function request()
  at = at + 1
  -- More than there are: an event twice would cost less than two.
  if at > #requests then wrk.thread:stop() end
  return requests[math.min(at, #requests)]
end
