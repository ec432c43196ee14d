-- For wrk: posts each delivery of a file once. The file has two lines for each: the signature, and the payload that it signs.
local requests, at = {}, 0

function init(args)
  local headers = { ["Content-Type"] = "application/json; charset=utf-8" }
  for line in io.lines(args[1]) do
    if headers["Stripe-Signature"] then
      requests[#requests + 1] = wrk.format("POST", nil, headers, line)
      headers["Stripe-Signature"] = nil
    else
      headers["Stripe-Signature"] = line
    end
  end
end

function request()
  at = at + 1
  -- There is no more: an event that comes again costs less than a new one.
  if at > #requests then wrk.thread:stop() end
  return requests[math.min(at, #requests)]
end
